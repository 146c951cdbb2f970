import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { lazy, type ReactNode, Suspense, use, useState } from 'react';
import { takeExpression } from '../expression/dropped-expression.ts';
import { hasExpression } from '../expression/expression-parts.ts';
import { FieldFrame } from './field-frame.tsx';
import { type Field, fits, type Kind, messagesAt, pointerTo, withField } from './fields.ts';
import { FormContext } from './form-context.ts';
import {
  ChoiceInput,
  type InputProps,
  JsonInput,
  NextTimes,
  NumberInput,
  TextInput,
} from './plain-inputs.tsx';

const ExpressionField = lazy(() => import('../expression/expression-field.tsx'));
const ScriptEditor = lazy(() => import('./script-editor.tsx'));

interface FieldRowProps {
  readonly field: Field;
  /** JSON pointer of the object or list that has it. */
  readonly path: string;
  readonly value: JsonValue | undefined;
  /** Undefined leaves the key out. */
  readonly onChange: (value: JsonValue | undefined) => void;
  readonly actions?: ReactNode;
  /** What it is called, if not by its key. */
  readonly label?: string;
}

/** A value with its label, as a value of its kind or as an expression; one that fits neither is JSON, and kept. */
export const FieldRow = (props: FieldRowProps): ReactNode => {
  const { field, path, value, onChange, actions, label = field.key } = props;
  const { kind, description, initial, isRequired } = field;
  const { problems, allowsExpressions, sample, names: known } = use(FormContext);
  const [cursor, setCursor] = useState<number | null>(null);
  const [other, setOther] = useState<JsonValue | undefined>(undefined);
  const isExpression = allowsExpressions && hasExpression(value);
  const isMisfit = value !== undefined && !isExpression && !fits(kind, value);
  const pointer = pointerTo(path, field.key);
  const hasParts = !isExpression && !isMisfit && ['list', 'map', 'object'].includes(kind.type);
  const toggle = () => {
    setOther(value);
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
              value={value}
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
const canTake = (kind: Kind, value: JsonValue): boolean => kind.type === 'list' || fits(kind, value);

const describeKind = (kind: Kind): string => {
  switch (kind.type) {
    case 'text':
    case 'expression':
    case 'code':
    case 'cron':
      return 'a text';
    case 'number':
      return kind.isInteger ? 'an integer' : 'a number';
    case 'boolean':
      return 'true or false';
    case 'choice':
      return `one of ${kind.options.map((option) => JSON.stringify(option)).join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
    case 'object':
      return 'an object';
    case 'oneOf':
      return kind.kinds.map(describeKind).join(' or ');
    default:
      return 'JSON';
  }
};

interface ValueInputProps extends InputProps {
  readonly kind: Kind;
  readonly label: string;
  /** JSON pointer of the value. */
  readonly path: string;
}

const BOOLEANS = [true, false];

const ValueInput = ({ kind, label, path, ...input }: ValueInputProps): ReactNode => {
  const { value, onChange } = input;
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
      return <ObjectInput {...input} fields={kind.fields} path={path} />;
    case 'list':
      return <ListInput {...input} item={kind.item} label={label} path={path} />;
    case 'map':
      return <MapInput {...input} item={kind.item} label={label} path={path} />;
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

const ObjectInput = ({
  fields,
  path,
  value,
  onChange,
}: InputProps & { readonly fields: readonly Field[]; readonly path: string }): ReactNode => {
  const object: JsonObject = isPlainObject(value) ? (value as JsonObject) : {};
  const known = new Set(fields.map(({ key }) => key));
  const others = Object.keys(object)
    .filter((key) => !known.has(key))
    .map((key) => toItem(key, { type: 'json' }));
  return (
    <div className="form-parts">
      {[...fields, ...others].map((field) => (
        <FieldRow
          key={field.key}
          field={field}
          path={path}
          value={Object.hasOwn(object, field.key) ? object[field.key] : undefined}
          onChange={(changed) => {
            const next = withField(object, field, changed);
            onChange(Object.keys(next).length === 0 ? undefined : next);
          }}
        />
      ))}
    </div>
  );
};

const toItem = (key: string, kind: Kind): Field => ({
  key,
  kind,
  description: '',
  initial: undefined,
  isRequired: false,
});

/** The value that a new item begins with. */
const emptyOf = (kind: Kind): JsonValue => {
  switch (kind.type) {
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'choice':
      return kind.options[0] ?? null;
    case 'list':
      return [];
    case 'map':
    case 'object':
      return {};
    case 'oneOf':
      return kind.kinds[0] === undefined ? null : emptyOf(kind.kinds[0]);
    case 'json':
    case 'file':
    case 'jsonSchema':
      return null;
    default:
      return '';
  }
};

/** Longer lists and maps are edited as JSON. */
const MAX_ITEMS = 100;

interface PartsProps extends InputProps {
  readonly item: Kind;
  readonly label: string;
  readonly path: string;
}

const ListInput = ({ item, label, path, ...input }: PartsProps): ReactNode => {
  const { value, initial, onChange } = input;
  const items: readonly JsonValue[] = Array.isArray(value) ? value : Array.isArray(initial) ? initial : [];
  if (items.length > MAX_ITEMS) return <JsonInput {...input} />;
  return (
    <div className="form-parts">
      {items.map((each, index) => (
        <FieldRow
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no names, and keep their places while one types
          key={index}
          field={toItem(String(index), item)}
          label={`${label} ${index + 1}`}
          path={path}
          value={each}
          onChange={(changed) => onChange(items.with(index, changed ?? emptyOf(item)))}
          actions={
            <Button
              variant="inline-link"
              ariaLabel={`Remove ${label} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              Remove
            </Button>
          }
        />
      ))}
      <Button
        iconName="add-plus"
        ariaLabel={`Add an item to ${label}`}
        onClick={() => onChange([...items, emptyOf(item)])}
      >
        Add an item
      </Button>
    </div>
  );
};

const MapInput = ({ item, label, path, ...input }: PartsProps): ReactNode => {
  const { value, initial, onChange } = input;
  const [name, setName] = useState('');
  const source = value ?? initial;
  const object: JsonObject = isPlainObject(source) ? (source as JsonObject) : {};
  const keys = Object.keys(object);
  if (keys.length > MAX_ITEMS) return <JsonInput {...input} />;
  const isTaken = Object.hasOwn(object, name);
  return (
    <div className="form-parts">
      {keys.map((key) => (
        <FieldRow
          key={key}
          field={toItem(key, item)}
          path={path}
          value={object[key]}
          onChange={(changed) => onChange(withField(object, toItem(key, item), changed ?? emptyOf(item)))}
          actions={
            <Button
              variant="inline-link"
              ariaLabel={`Remove ${key} from ${label}`}
              onClick={() => onChange(withField(object, toItem(key, item), undefined))}
            >
              Remove
            </Button>
          }
        />
      ))}
      <div className="form-new-key">
        <Input
          ariaLabel={`New key of ${label}`}
          placeholder="New key"
          spellcheck={false}
          value={name}
          onChange={({ detail }) => setName(detail.value)}
        />
        <Button
          iconName="add-plus"
          ariaLabel={`Add a key to ${label}`}
          disabled={name === '' || isTaken}
          disabledReason={isTaken ? 'It has this key already.' : 'Name the key first.'}
          onClick={() => {
            onChange(withField(object, toItem(name, item), emptyOf(item)));
            setName('');
          }}
        >
          Add
        </Button>
      </div>
    </div>
  );
};

const KIND_NAMES: Readonly<Record<Kind['type'], string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'True or false',
  choice: 'Choice',
  list: 'List',
  map: 'Keys and values',
  object: 'Object',
  oneOf: 'Other',
  expression: 'Expression',
  code: 'Code',
  cron: 'Schedule',
  file: 'File',
  jsonSchema: 'JSON Schema',
  json: 'JSON',
};

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
  const { value, onChange } = input;
  const [chosen, setChosen] = useState<number | null>(null);
  const fitting = value === undefined ? 0 : kinds.findIndex((kind) => fits(kind, value));
  const isKept = chosen !== null && (value === undefined || fits(kinds[chosen] ?? { type: 'json' }, value));
  const index = isKept ? chosen : Math.max(0, fitting);
  const kind = kinds[index] ?? { type: 'json' };
  const options = kinds.map((each, at) => ({
    value: String(at),
    label:
      each.type === 'choice'
        ? each.options.map((option) => JSON.stringify(option)).join(', ')
        : KIND_NAMES[each.type],
  }));
  return (
    <div className="form-one-of">
      <Select
        ariaLabel={`Type of ${label}`}
        options={options}
        selectedOption={options[index] ?? null}
        onChange={({ detail }) => {
          const next = Number(detail.selectedOption.value);
          const nextKind = kinds[next];
          setChosen(next);
          if (nextKind !== undefined && value !== undefined && !fits(nextKind, value))
            onChange(emptyOf(nextKind));
        }}
      />
      <ValueInput {...input} kind={kind} label={label} path={path} />
    </div>
  );
};
