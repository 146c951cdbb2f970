import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { JsonValue } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, use, useState } from 'react';
import { takeExpression } from '../expression/dropped-expression.ts';
import { hasExpression } from '../expression/expression-parts.ts';
import { Choice } from '../form-fields.tsx';
import { FieldFrame } from './field-frame.tsx';
import { isLarge, type Kind, messagesAt, pointerTo } from './fields.ts';
import { FormContext, type InputProps } from './form-context.ts';
import { describeKind, emptyOf, fitsKind, nameOfKind } from './kinds.ts';
import { OptionsInput } from './options-input.tsx';
import { hasTooManyParts, ListInput, MapInput, ObjectInput, type RowProps } from './part-inputs.tsx';
import { ChoiceInput, JsonInput, NextTimes, NumberInput, TextInput } from './plain-inputs.tsx';

const ExpressionField = lazy(() => import('../expression/expression-field.tsx'));
const ScriptEditor = lazy(() => import('./script-editor.tsx'));

/** A value with its label, as a value of its kind or as an expression; one that fits neither is JSON, and kept. */
export const FieldRow = (props: RowProps): ReactNode => {
  const { field, path, value, onChange, actions, label = field.key } = props;
  const { kind, description, initial, isRequired } = field;
  const { problems, allowsExpressions, sample, names: known } = use(FormContext);
  const [cursor, setCursor] = useState<number | null>(null);
  const [other, setOther] = useState<JsonValue | undefined>(undefined);
  // What is to be true or false is seldom the same in each run.
  const [isFixed, setFixed] = useState(false);
  const isExpected = !isFixed && value === undefined && isRequired && kind.type === 'boolean';
  const expression = isExpected ? '{{  }}' : hasExpression(value) ? value : null;
  const isExpression = allowsExpressions && expression !== null;
  const isMisfit = value !== undefined && !isExpression && !fitsKind(kind, value);
  const pointer = pointerTo(path, field.key);
  const hasParts = !isExpression && !isMisfit && ['list', 'map', 'object'].includes(kind.type);
  // An item has a value, and a button of its own to remove it.
  const canFold = actions === undefined && !isRequired && initial === undefined && isLarge(kind);
  const isFaulty = messagesAt(problems, pointer, false).length > 0;
  const [wasFaulty, setWasFaulty] = useState(false);
  const [isOpen, setOpen] = useState(false);
  // It stays open when the problem is mended, and folded when it is removed with its problem.
  if (isFaulty !== wasFaulty) {
    setWasFaulty(isFaulty);
    if (isFaulty) setOpen(true);
  }
  if (value !== undefined && !isOpen) setOpen(true);
  const isFolded = canFold && !isOpen && value === undefined;
  const toggle = () => {
    setOther(value);
    setFixed(isExpression);
    if (isExpression) return onChange(hasExpression(other) ? undefined : other);
    setCursor(3);
    onChange(hasExpression(other) ? other : toExpression(value));
  };
  return (
    <FieldFrame
      label={label}
      dropping={takeExpression(allowsExpressions ? onChange : null)}
      isRequired={isRequired}
      description={description}
      folding={
        canFold
          ? {
              isFolded,
              isSet: value !== undefined,
              onToggle: () => {
                setOpen(!isOpen);
                if (value !== undefined) onChange(undefined);
              },
            }
          : null
      }
      messages={[
        ...messagesAt(problems, pointer, hasParts),
        ...(isMisfit ? [`This value does not fit: expected ${describeKind(kind)}.`] : []),
      ]}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          {allowsExpressions && !isMisfit && (
            <Button
              variant="inline-link"
              ariaLabel={`Use ${isExpression ? 'a value' : 'an expression'} for ${label}`}
              onClick={toggle}
            >
              {isExpression ? 'Use a value' : 'Use an expression'}
            </Button>
          )}
          {actions}
        </SpaceBetween>
      }
    >
      {(names) =>
        isExpression ? (
          <Suspense fallback={null}>
            <ExpressionField
              {...names}
              value={expression}
              onChange={onChange}
              sample={sample}
              names={known}
              cursor={cursor}
              check={(result) => (canTake(kind, result) ? null : `Expected ${describeKind(kind)}.`)}
            />
          </Suspense>
        ) : (
          <ValueInput
            names={names}
            kind={isMisfit ? { type: 'json' } : kind}
            label={label}
            path={pointer}
            initial={initial}
            value={value}
            onChange={(changed) => {
              if (allowsExpressions && hasExpression(changed)) setCursor(changed.indexOf('{{') + 2);
              onChange(changed);
            }}
          />
        )
      }
    </FieldFrame>
  );
};

/** An expression with the same value, or an empty one. */
const toExpression = (value: JsonValue | undefined): string => {
  const text = value === undefined ? '' : JSON.stringify(value);
  return text.includes('{{') || text.length > 1_000 ? '{{  }}' : `{{ ${text} }}`;
};

/** Where a list is required, the service makes a list of a single value. */
const canTake = (kind: Kind, value: JsonValue): boolean => kind.type === 'list' || fitsKind(kind, value);

interface ValueInputProps extends InputProps {
  readonly kind: Kind;
  readonly label: string;
  /** JSON pointer of the value. */
  readonly path: string;
}

const BOOLEANS = [true, false];

const ValueInput = ({ kind, label, path, ...input }: ValueInputProps): ReactNode => {
  const { value, initial, onChange } = input;
  const { options } = use(FormContext);
  const found = options?.parameters.find((name) => pointerTo('', name) === path);
  if (found !== undefined && (kind.type === 'text' || kind.type === 'number'))
    return <OptionsInput {...input} parameter={found} isNumber={kind.type === 'number'} />;
  if (['list', 'map'].includes(kind.type) && hasTooManyParts(value ?? initial))
    return <JsonInput {...input} />;
  switch (kind.type) {
    case 'text':
      return (
        <TextInput {...input} isLong={kind.isLong || (typeof value === 'string' && value.includes('\n'))} />
      );
    case 'number':
      return <NumberInput {...input} isInteger={kind.isInteger} />;
    case 'boolean':
      return <ChoiceInput {...input} options={BOOLEANS} />;
    case 'choice':
      return <ChoiceInput {...input} options={kind.options} />;
    case 'cron':
      return (
        <>
          <TextInput {...input} isLong={false} />
          {value !== undefined && <NextTimes />}
        </>
      );
    case 'code':
      return (
        <Suspense fallback={null}>
          <ScriptEditor {...input.names} value={typeof value === 'string' ? value : ''} onChange={onChange} />
        </Suspense>
      );
    case 'expression':
      return <BareExpression names={input.names} value={value} onChange={onChange} />;
    case 'object':
      return <ObjectInput {...input} Row={FieldRow} fields={kind.fields} path={path} />;
    case 'list':
      return <ListInput {...input} Row={FieldRow} item={kind.item} label={label} path={path} />;
    case 'map':
      return <MapInput {...input} Row={FieldRow} item={kind.item} label={label} path={path} />;
    case 'oneOf':
      return <OneOfInput {...input} kinds={kind.kinds} label={label} path={path} />;
    default:
      return <JsonInput {...input} />;
  }
};

/** An expression alone, which is left out when it is empty. */
const BareExpression = ({ names, value, onChange }: Omit<InputProps, 'initial'>): ReactNode => {
  const { sample, names: known } = use(FormContext);
  return (
    <Suspense fallback={null}>
      <ExpressionField
        {...names}
        syntax="jsonata"
        value={typeof value === 'string' ? value : ''}
        onChange={(text) => onChange(text === '' ? undefined : text)}
        sample={sample}
        names={known}
      />
    </Suspense>
  );
};

/** More options of a choice, or fields of an object, are not listed in its name. */
const MAX_NAMED = 3;

const describeVariant = (kind: Kind): string => {
  if (kind.type === 'choice' && kind.options.length <= MAX_NAMED)
    return kind.options.map((option) => JSON.stringify(option)).join(', ');
  if (kind.type === 'object' && kind.fields.length <= MAX_NAMED)
    return kind.fields.map(({ key }) => key).join(', ');
  return nameOfKind(kind);
};

/** The only value that a kind has; undefined if it has others. */
const constantOf = (kind: Kind): JsonValue | undefined =>
  kind.type === 'choice' && kind.options.length === 1 ? kind.options[0] : undefined;

/** In the choice of the type: no value. */
const NOT_SET = { value: '', label: 'Not set' };

const OneOfInput = ({
  kinds,
  label,
  path,
  ...input
}: InputProps & {
  readonly kinds: readonly Kind[];
  readonly label: string;
  readonly path: string;
}): ReactNode => {
  const { value, initial, onChange } = input;
  const [chosen, setChosen] = useState<number | null>(null);
  // A constant is set by its choice, so that there is one for no value, too.
  const canBeUnset = initial === undefined && kinds.some((kind) => constantOf(kind) !== undefined);
  const isUnset = canBeUnset && value === undefined && chosen === null;
  const fitting = value === undefined ? 0 : kinds.findIndex((kind) => fitsKind(kind, value));
  const isKept =
    chosen !== null && (value === undefined || fitsKind(kinds[chosen] ?? { type: 'json' }, value));
  const index = isKept ? chosen : Math.max(0, fitting);
  const kind = kinds[index] ?? { type: 'json' };
  const options = kinds.map((each, at) => ({ value: String(at), label: describeVariant(each) }));
  return (
    <div className="form-one-of">
      <Choice
        ariaLabel={`Type of ${label}`}
        options={canBeUnset ? [NOT_SET, ...options] : options}
        value={isUnset ? NOT_SET.value : String(index)}
        onChange={(choice) => {
          const next = choice === NOT_SET.value ? null : Number(choice);
          const nextKind = kinds[next ?? -1];
          const constant = nextKind === undefined ? undefined : constantOf(nextKind);
          setChosen(next);
          if (next === null || constant !== undefined) onChange(constant);
          else if (nextKind !== undefined && value !== undefined && !fitsKind(nextKind, value))
            onChange(emptyOf(nextKind));
        }}
      />
      {!isUnset && (!canBeUnset || constantOf(kind) === undefined) && (
        <ValueInput {...input} kind={kind} label={label} path={path} />
      )}
    </div>
  );
};
