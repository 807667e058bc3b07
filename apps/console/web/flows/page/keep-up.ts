// What goes on behind the page while a flow is edited: it is checked, its conversation is played anew, nodes without a place get one,
// and what is not saved is kept in this browser.
import { useEffect } from 'react';
import type { Called } from '../../engine/called.ts';
import { sharedEngine } from '../../engine/client.ts';
import { arrangeFlow } from '../canvas/arrange.ts';
import { placeRest } from '../canvas/places.ts';
import { toDefinition, type Doc } from '../document/doc.ts';
import { forgetDraft, keepDraft, leaveDraft } from '../document/drafts.ts';
import { announce, isDirty, learn, settle, useFlow, type Base } from '../document/flow-store.ts';
import { played, useTalk } from '../talk/talk-store.ts';

/** Checks every version of the document, the newest first, with what it calls. */
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

/** The script is played again when it changes, and when the flow does. */
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

/** Part of the nodes that must have a place for the others to be put beside them; with fewer all are arranged. */
const PLACED_SHARE = 0.5;

/** True when there is something to be drawn: every node has a place, or gets one in a moment. */
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

/** Kept a moment after the last change, and at once when the page is left. */
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
    announce('This browser keeps nothing: save before you leave'),
  );
}

async function keepOrForget(organization: string, flowId: string, doc: Doc, base: Base): Promise<void> {
  if (!isDirty({ doc, base })) return forgetDraft(organization, flowId);
  const draft = { flowId, definition: toDefinition(doc), baseVersion: base.version, changedAt: Date.now() };
  if (document.visibilityState === 'hidden') leaveDraft(organization, draft);
  return keepDraft(organization, draft);
}
