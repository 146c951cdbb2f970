import { type Extension, RangeSetBuilder } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { findExpressions, type Syntax } from './expression-parts.ts';
import { KEYWORDS, type Token, tokenizeExpression } from './jsonata-tokens.ts';

const look = EditorView.theme({
  '.cm-exp': { background: 'light-dark(#f0fbff, #001f3d)', borderRadius: '4px' },
  '.cm-exp-variable': { color: 'light-dark(#30a, #c3b5ff)' },
  '.cm-exp-string, .cm-exp-regex': { color: 'light-dark(#a11, #f5b3a8)' },
  '.cm-exp-number': { color: 'light-dark(#164, #7fd8a4)' },
  '.cm-exp-keyword': { color: 'light-dark(#708, #e5a3ff)' },
  '.cm-exp-comment': { color: 'light-dark(#7a4300, #e0b48a)', fontStyle: 'italic' },
});

const classOf = ({ kind, text }: Token): string | null => {
  if (kind === 'operator') return null;
  if (kind === 'name') return KEYWORDS.includes(text) ? 'keyword' : null;
  return kind;
};

const marks = new Map<string, Decoration>();

const markOf = (name: string): Decoration => {
  const mark = marks.get(name) ?? Decoration.mark({ class: name });
  marks.set(name, mark);
  return mark;
};

/** In UTF-16 units; longer texts have no colours. */
const MAX_LENGTH = 100_000;

const decorate = (view: EditorView, syntax: Syntax): DecorationSet => {
  const builder = new RangeSetBuilder<Decoration>();
  if (view.state.doc.length > MAX_LENGTH) return builder.finish();
  const text = view.state.doc.toString();
  for (const part of findExpressions(text, syntax)) {
    if (syntax === 'template' && part.text !== '')
      builder.add(part.from, part.from + part.text.length, markOf('cm-exp'));
    for (const token of tokenizeExpression(part.text)) {
      const name = classOf(token);
      if (name !== null) builder.add(part.from + token.from, part.from + token.to, markOf(`cm-exp-${name}`));
    }
  }
  return builder.finish();
};

export const expressionColours = (syntax: Syntax): Extension => [
  look,
  ViewPlugin.define(
    (view) => ({
      decorations: decorate(view, syntax),
      update(update: ViewUpdate) {
        if (update.docChanged) this.decorations = decorate(update.view, syntax);
      },
    }),
    { decorations: ({ decorations }) => decorations },
  ),
];
