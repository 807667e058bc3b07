// CodeMirror in a shadow root, where it uses constructed style sheets. In the document it would
// write a style element, which the content security policy forbids.
import { useEffect, useRef } from 'react';
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import {
  HighlightStyle,
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import { lintGutter, lintKeymap, linter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { AuthoredFlow } from '@parley/flow-engine';
import type { Finding } from '../../engine/check.ts';
import { completeDefinition } from './completions.ts';
import { pointerRange } from './pointer-range.ts';

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '12px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--ink-2)', border: 'none' },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--surface-3) 45%, transparent)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-soft)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent-soft)',
    color: 'var(--ink)',
  },
  '.cm-completionDetail': { color: 'var(--ink-2)', fontStyle: 'normal' },
  '.cm-diagnostic': { padding: '4px 8px', maxWidth: '22rem' },
});

/**
 * The editor's default style suits only a white background, so this uses the colours of the page.
 */
const highlight = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: [tags.punctuation, tags.bracket], color: 'var(--ink-2)' },
]);

const basics: Extension = [
  lineNumbers(),
  foldGutter(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  highlightActiveLine(),
  syntaxHighlighting(highlight),
  keymap.of([
    ...defaultKeymap,
    ...historyKeymap,
    ...foldKeymap,
    ...lintKeymap,
    ...closeBracketsKeymap,
    ...completionKeymap,
  ]),
  json(),
  lintGutter(),
  theme,
];

export interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly findings: readonly Finding[];
  /** JSON pointer to scroll to. */
  readonly shown: string | null;
  /** The last valid definition. */
  readonly flowNow: () => AuthoredFlow;
  readonly onChange: (text: string) => void;
}

export function JsonEditor({ label, value, findings, shown, flowNow, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  useEffect(() => {
    changed.current = onChange;
  }, [onChange]);

  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' }); // StrictMode mounts twice
    const editor = new EditorView({
      parent: root,
      root,
      state: EditorState.create({
        doc: value,
        extensions: [
          basics,
          linter(jsonParseLinter()),
          autocompletion({ override: [completeDefinition(flowNow)], icons: false }),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((one) => one.isUserEvent('outside')))
              changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
    // The editor owns its text; the effect below applies changes from outside.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor !== null) replace(editor, value);
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    const diagnostics = findings.map(({ path, severity, code, message }): Diagnostic => {
      const { from, to } = pointerRange(editor.state, path) ?? { from: 0, to: 0 };
      // Underline only the first line of a node.
      return { from, to: Math.min(to, editor.state.doc.lineAt(from).to), severity, source: code, message };
    });
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [findings, value]);

  useEffect(() => {
    const editor = view.current;
    const range = editor === null || shown === null ? null : pointerRange(editor.state, shown);
    if (editor !== null && range !== null && !editor.hasFocus)
      editor.dispatch({ effects: EditorView.scrollIntoView(range.from, { y: 'start', yMargin: 24 }) });
  }, [shown]);

  return <div ref={host} className="json-editor h-full overflow-hidden" />;
}

/** Replaces only the part that differs, so that the caret stays. */
function replace(editor: EditorView, value: string): void {
  const old = editor.state.doc.toString();
  if (old === value) return;
  let from = 0;
  const shorter = Math.min(old.length, value.length);
  while (from < shorter && old[from] === value[from]) from += 1;
  let tail = 0;
  while (tail < shorter - from && old.at(-1 - tail) === value.at(-1 - tail)) tail += 1;
  editor.dispatch({
    changes: { from, to: old.length - tail, insert: value.slice(from, value.length - tail) },
    userEvent: 'outside',
  });
}
