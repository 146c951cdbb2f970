import Box from '@cloudscape-design/components/box';
import Input from '@cloudscape-design/components/input';
import Textarea from '@cloudscape-design/components/textarea';
import { type JsonValue, jsonEquals } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, use, useEffect, useRef, useState } from 'react';
import { Choice } from '../form-fields.tsx';
import { parseDefinition } from '../parse-json.ts';
import { FormContext, type InputProps, toAria, toWord } from './form-context.ts';

const JsonEditor = lazy(() => import('../json-editor.tsx'));

export const TextInput = ({
  names,
  value,
  initial,
  onChange,
  isLong,
}: InputProps & { readonly isLong: boolean }): ReactNode => {
  const shared = {
    ...toAria(names),
    invalid: names.isInvalid === true,
    spellcheck: false,
    placeholder: toWord(initial),
    value: typeof value === 'string' ? value : '',
    // An empty text is left out, unless it differs from the default.
    onChange: ({ detail }: { readonly detail: { readonly value: string } }) =>
      onChange(detail.value === '' && !initial ? undefined : detail.value),
  };
  return isLong ? <Textarea {...shared} rows={4} /> : <Input {...shared} />;
};

export const NumberInput = ({
  names,
  value,
  initial,
  onChange,
  isInteger,
}: InputProps & { readonly isInteger: boolean }): ReactNode => {
  const [draft, setDraft] = useState<string | null>(null);
  const read = (text: string) => {
    const number = Number(text);
    if (text.trim() === '') onChange(undefined);
    else if (isInteger ? Number.isSafeInteger(number) : Number.isFinite(number)) onChange(number);
    else return setDraft(text);
    // `1.` and `1.0` are the same number as `1`, and stay as they are typed.
    setDraft(text);
  };
  const isRefused =
    draft !== null && draft.trim() !== '' && toWord(value) !== draft && Number(draft) !== value;
  return (
    <>
      <Input
        {...toAria(names)}
        inputMode={isInteger ? 'numeric' : 'decimal'}
        placeholder={toWord(initial)}
        invalid={names.isInvalid === true || isRefused}
        value={draft ?? toWord(value)}
        onChange={({ detail }) => read(detail.value)}
        onBlur={() => setDraft(null)}
      />
      <div role="status">
        {isRefused && (
          <Box color="text-status-error">
            {isInteger ? 'Not an integer: the value is unchanged.' : 'Not a number: the value is unchanged.'}
          </Box>
        )}
      </div>
    </>
  );
};

export const ChoiceInput = ({
  names,
  value,
  initial,
  onChange,
  options,
}: InputProps & { readonly options: readonly JsonValue[] }): ReactNode => {
  const shown = [
    ...(initial === undefined ? [{ value: '-', label: 'Not set' }] : []),
    ...options.map((option, index) => ({
      value: String(index),
      label: `${toWord(option)}${initial !== undefined && jsonEquals(option, initial) ? ' (default)' : ''}`,
    })),
  ];
  const current = value ?? initial;
  const index = options.findIndex((option) => current !== undefined && jsonEquals(option, current));
  return (
    <Choice
      {...toAria(names)}
      options={shown}
      placeholder="Choose"
      invalid={names.isInvalid === true}
      value={index === -1 ? '-' : String(index)}
      onChange={(chosen) => onChange(chosen === '-' ? undefined : options[Number(chosen)])}
    />
  );
};

/** Longer values can't be edited in a form. In characters of JSON. */
const MAX_LENGTH = 500_000;

const print = (value: JsonValue | undefined): string | null => {
  if (value === undefined) return '';
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    return null; // a RangeError of the recursion
  }
};

/** JSON as text. What can't be parsed changes nothing, and is marked. */
export const JsonInput = ({ names, value, onChange }: Omit<InputProps, 'initial'>): ReactNode => {
  const [text, setText] = useState(() => print(value));
  const last = useRef(value);
  useEffect(() => {
    if (last.current === value) return;
    last.current = value;
    setText(print(value));
  }, [value]);
  if (text === null || text.length > MAX_LENGTH)
    return <Box color="text-status-warning">It is too large to be edited here, and is kept as it is.</Box>;
  const read = (changed: string) => {
    setText(changed);
    try {
      const parsed = changed.trim() === '' ? undefined : (parseDefinition(changed) as JsonValue);
      last.current = parsed;
      onChange(parsed);
    } catch {
      // The editor marks where the text is wrong.
    }
  };
  return (
    <Suspense fallback={<Box variant="code">…</Box>}>
      <JsonEditor {...names} value={text} onChange={read} />
    </Suspense>
  );
};

/** When a schedule fires next, or why it does not. */
export const NextTimes = (): ReactNode => {
  const { parameters } = use(FormContext);
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => {
    let isCurrent = true;
    const load = async () => {
      const { describeTimes } = await import('./next-times.ts');
      const found = await describeTimes(parameters, Date.now());
      if (isCurrent) setLines(found);
    };
    void load();
    return () => {
      isCurrent = false;
    };
  }, [parameters]);
  return (
    <ul className="form-times" role="status">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
};
