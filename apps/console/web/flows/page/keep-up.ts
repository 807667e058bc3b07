// Effects of editing a flow: check it, replay its conversation, position new nodes, and store the
// draft in this browser.
import { useEffect } from 'react';
import type { Called } from '../../engine/called.ts';
import { sharedEngine } from '../../engine/client.ts';
import { arrangeFlow } from '../canvas/arrange.ts';
import { placeRest } from '../document/places.ts';
import { toDefinition, type Doc } from '../document/doc.ts';
import { forgetDraft, keepDraft, leaveDraft } from '../document/drafts.ts';
import { announce, isDirty, learn, settle, useFlow, type Base } from '../document/flow-store.ts';
import { played, useTalk } from '../talk/talk-store.ts';

/** Checks the document, with the flows it calls, after every change. */
export function useChecks(called: Called | null): void {
  const flow = useFlow((state) => state.doc.flow);
  useEffect(() => {
    useFlow.setState({ called });
    void sharedEngine().know(called);
    void sharedEngine()
      .check(flow)
      .then((checked) => {
        if (checked !== null) learn(checked, flow);
      });
  }, [flow, called]);
}

/** Replays the conversation when the script or the flow changes. */
export function useConversation(): void {
  const script = useTalk((state) => state.script);
  const checked = useFlow((state) => state.checked);
  useEffect(() => {
    if (checked === null || script.turns.length === 0) return;
    void sharedEngine()
      .converse(script)
      .then((answer) => {
        if (answer !== null) played(answer.turns);
      });
  }, [script, checked]);
}

/** With fewer positioned nodes than this share, all nodes are arranged. */
const PLACED_SHARE = 0.5;

/** True when every node has a position or is about to get one. */
export function usePlaces(): boolean {
  const { flow, places } = useFlow((state) => state.doc);
  const placed = flow.nodes.reduce((sum, { id }) => sum + (places[id] === undefined ? 0 : 1), 0);
  const isPlaced = placed === flow.nodes.length;
  const isMostlyPlaced = placed > flow.nodes.length * PLACED_SHARE;
  useEffect(() => {
    if (isPlaced) return;
    if (isMostlyPlaced) settle(placeRest(flow, places));
    else
      void arrangeFlow(flow).then((arranged) => {
        settle(arranged);
      });
  }, [isPlaced, isMostlyPlaced, flow, places]);
  return isPlaced || isMostlyPlaced;
}

const KEPT_AFTER_MS = 400;

/** Stores the draft shortly after the last change, and immediately when the page closes. */
export function useDraft(organization: string): void {
  const doc = useFlow((state) => state.doc);
  const base = useFlow((state) => state.base);
  useEffect(() => {
    const timer = setTimeout(() => keepNow(organization), KEPT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [organization, doc, base]);
  useEffect(() => {
    const keep = () => keepNow(organization);
    document.addEventListener('visibilitychange', keep);
    return () => {
      document.removeEventListener('visibilitychange', keep);
      keep();
    };
  }, [organization]);
}

function keepNow(organization: string): void {
  const { flowId, doc, base } = useFlow.getState();
  if (base === null) return;
  keepOrForget(organization, flowId, doc, base).catch(() =>
    announce('This browser cannot store drafts. Save before you leave the page.'),
  );
}

async function keepOrForget(organization: string, flowId: string, doc: Doc, base: Base): Promise<void> {
  if (!isDirty({ doc, base })) return forgetDraft(organization, flowId);
  const draft = { flowId, definition: toDefinition(doc), baseVersion: base.version, changedAt: Date.now() };
  if (document.visibilityState === 'hidden') leaveDraft(organization, draft);
  return keepDraft(organization, draft);
}
