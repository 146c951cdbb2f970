import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
} from '@codemirror/autocomplete';
import { type EditorView, keymap } from '@codemirror/view';
import type { JsonValue } from '@hookloom/plugin-kit';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { CodeEditor, type EditorNames } from '../code-editor.tsx';
import { completeExpression, type Suggestion } from './complete-expression.ts';
import { evaluateOnSample, type Outcome, type Surroundings } from './evaluate-sample.ts';
import { expressionColours } from './expression-colours.ts';
import type { Syntax } from './expression-parts.ts';
import './expression.css';

interface ExpressionFieldProps extends EditorNames, Omit<Surroundings, 'syntax'> {
  /** With its braces, unless `syntax` says that it has none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly syntax?: Syntax;
  /** Says what is wrong with a value for the place where it goes; null for nothing. */
  readonly check?: (value: JsonValue) => string | null;
  /** Where the cursor is when the field appears with the focus; null if it appears without. */
  readonly cursor?: number | null | undefined;
}

/** A parameter with expressions: with names that complete, and with what it gives on a sample, as one types. */
const ExpressionField = (props: ExpressionFieldProps): ReactNode => {
  const { value, onChange, sample, names, syntax = 'template', check, cursor, ...editorNames } = props;
  const data = useRef({ sample, names });
  data.current = { sample, names };
  const [extensions] = useState(() => [
    expressionColours(syntax),
    closeBrackets(),
    autocompletion({
      icons: false,
      override: [(context) => complete(context, { syntax, ...data.current })],
    }),
    keymap.of(closeBracketsKeymap),
  ]);
  const tried = useOutcome(value, { syntax, sample, names });
  const outcome = value === '' ? null : tried;
  const faults = outcome?.kind === 'faults' ? outcome.faults : NO_FAULTS;
  // The validator has found what is wrong, too, and it stands below the field.
  const isSaid = faults.length > 0 && editorNames.isInvalid === true;
  // Not announced with the form, but after something was typed, which may have made it an expression.
  const [isTyped, setTyped] = useState(typeof cursor === 'number');
  return (
    <div className="expression">
      <CodeEditor
        {...editorNames}
        value={value}
        extensions={extensions}
        onChange={(text) => {
          setTyped(true);
          onChange(text);
        }}
        cursor={cursor}
        marks={faults}
      />
      <div className="expression-result" {...(isTyped && { role: 'status' })}>
        {outcome !== null && !isSaid && <Result outcome={outcome} check={check} />}
      </div>
    </div>
  );
};

const NO_FAULTS = [] as const;

/** Keys that follow each other faster than this are tried together. */
const PAUSE_MS = 100;

/** What the text gave last; null before it was tried. */
const useOutcome = (text: string, { syntax, sample, names }: Surroundings): Outcome | null => {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const found = await evaluateOnSample(text, syntax, sample, names);
      if (isCurrent) setOutcome(found);
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, syntax, sample, names]);
  return outcome;
};

interface ResultProps {
  readonly outcome: Outcome;
  readonly check: ((value: JsonValue) => string | null) | undefined;
}

const Result = ({ outcome, check }: ResultProps): ReactNode => {
  switch (outcome.kind) {
    case 'value': {
      const refused = check?.(outcome.value) ?? null;
      return (
        <>
          <span className="expression-sign">On the sample: </span>
          <code className="any-text">{print(outcome.value)}</code>
          {refused !== null && <div className="expression-fault">{refused}</div>}
        </>
      );
    }
    case 'nothing':
      return <span className="expression-sign">On the sample: no result, so the parameter is left out</span>;
    case 'unknown':
      return <span className="expression-sign">There is no sample to try it on</span>;
    case 'faults':
      return outcome.faults.map(({ from, message }) => (
        <div key={`${from} ${message}`} className="expression-fault any-text">
          {message}
        </div>
      ));
  }
};

/** Longer values are cut. In UTF-16 units. */
const MAX_LENGTH = 2_000;

const print = (value: JsonValue): string => {
  try {
    const text = JSON.stringify(value, null, 2);
    return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  } catch {
    return 'a value that is nested too deeply to be shown'; // a RangeError
  }
};

const complete = (context: CompletionContext, surroundings: Surroundings): CompletionResult | null => {
  const { state, pos, explicit } = context;
  const found = completeExpression(state.doc.toString(), pos, { ...surroundings, isAsked: explicit });
  return found === null
    ? null
    : { from: found.from, options: found.options.map(toCompletion), validFor: REST_OF_NAME };
};

/** While one types on, the options are narrowed at once: Enter takes what is shown, also right after a key. */
const REST_OF_NAME = /^\$?[\p{L}\p{N}_]*$/u;

const toCompletion = ({ kind, label, detail, info }: Suggestion): Completion => ({
  label,
  detail,
  ...(info === null ? {} : { info }),
  boost: { field: 3, variable: 2, function: 1, keyword: 0 }[kind],
  ...(kind === 'function' ? { apply: call } : {}),
});

/** Writes a call of a function, and goes between its brackets. */
const call = (view: EditorView, { label }: Completion, from: number, to: number): void =>
  view.dispatch({
    changes: { from, to, insert: `${label}()` },
    selection: { anchor: from + label.length + 1 },
    userEvent: 'input.complete',
  });

export default ExpressionField;
