import { autocompletion, closeBrackets, completionKeymap, type Completion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql, type SQLNamespace } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec, type Transaction } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SchemaAnswer } from '../../../../schemas/explorer/api.js';

const COLOURS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--code-keyword)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--code-type)' },
]);

const LOOK = EditorView.theme({
  '&': { fontSize: '14px', backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', minHeight: '150px', maxHeight: '45vh' },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--soft)', border: 'none' },
  '.cm-placeholder': { color: 'var(--soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--selected)',
  },
  '.cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--edge)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--s0)', color: 'var(--panel)' },
  '.cm-completionInfo': { maxWidth: '320px', padding: '6px 10px' },
});

/** The editor for SQL, with completion of tables, columns and functions. */
export function Editor({
  loaded,
  schema,
  onChange,
  onRun,
}: {
  /** The text to begin with. Another object replaces what the user wrote. */
  loaded: { text: string };
  schema: SchemaAnswer | undefined;
  onChange: (text: string) => void;
  onRun: () => void;
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>();
  const language = useRef(new Compartment()).current;
  const calls = useRef({ onChange, onRun });
  calls.current = { onChange, onRun };
  useEffect(() => {
    if (holder.current === null) return undefined;
    const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
    const run = (): boolean => {
      calls.current.onRun();
      return true;
    };
    const made = new EditorView({
      parent: holder.current,
      state: EditorState.create({
        doc: loaded.text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          EditorView.contentAttributes.of({ 'aria-label': 'SQL query' }),
          EditorView.lineWrapping,
          LOOK,
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          placeholder('FROM marts.companies LIMIT 100'),
          syntaxHighlighting(COLOURS),
          autocompletion({ maxRenderedOptions: 60 }),
          language.of(languageFor(schema)),
          Prec.highest(keymap.of([{ key: 'Mod-Enter', run }])),
          keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
          EditorView.domEventHandlers({ beforeinput: replaceSelection }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) calls.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);
  useEffect(() => {
    view.current?.dispatch({ effects: language.reconfigure(languageFor(schema)) });
  }, [schema]);
  useEffect(() => {
    const current = view.current;
    if (current === undefined || current.state.doc.toString() === loaded.text) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: loaded.text } });
  }, [loaded]);
  return <div ref={holder} class="editor" />;
}

/**
 * Types over a selection. A browser would keep the colours of the selected text in a style attribute, which the content
 * security policy forbids.
 */
function replaceSelection(event: InputEvent, view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main;
  const text = event.data;
  if (event.inputType !== 'insertText' || text === null || empty) return false;
  event.preventDefault();
  const insert = (): Transaction => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type' });
  if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert)))
    view.dispatch(insert());
  return true;
}

function languageFor(schema: SchemaAnswer | undefined) {
  const tables: Record<string, SQLNamespace> = {};
  for (const { table, description, columns } of schema?.tables ?? []) {
    const children = columns.map(({ name, type, comment }): Completion => ({
      label: name,
      type: 'property',
      detail: type,
      ...(comment !== null && { info: comment }),
    }));
    const self: Completion = { label: table, type: 'type', ...(description !== null && { info: description }) };
    tables[table] = { self: { ...self, label: table.split('.')[1] ?? table }, children };
  }
  const functions = (schema?.functions ?? []).map(({ name, description, parameters }): Completion => ({
    label: name,
    type: 'function',
    detail: `(${parameters.join(', ')})`,
    ...(description !== null && { info: description }),
  }));
  const dialect = sql({ dialect: PostgreSQL, schema: tables, upperCaseKeywords: true });
  const words = PostgreSQL.language.data.of({
    autocomplete: (context: {
      matchBefore: (pattern: RegExp) => { from: number; to: number } | null;
      explicit: boolean;
    }) => {
      const word = context.matchBefore(/[a-z_][\w.]*/i);
      if (word === null || (word.to - word.from < 2 && !context.explicit)) return null;
      const all = (schema?.tables ?? []).map(({ table, description }): Completion => ({
        label: table,
        type: 'type',
        boost: 2,
        ...(description !== null && { info: description }),
      }));
      return { from: word.from, options: [...all, ...functions], validFor: /^[\w.]*$/ };
    },
  });
  return [dialect, words];
}
