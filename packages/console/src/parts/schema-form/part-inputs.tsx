import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import { isPlainObject, type JsonObject, type JsonValue } from '@hookloom/plugin-kit';
import { type ComponentType, type ReactNode, useState } from 'react';
import { type Field, type Kind, toItemField, withField, withOthers } from './fields.ts';
import type { InputProps } from './form-context.ts';
import { emptyOf } from './kinds.ts';

export interface RowProps {
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

/** A value whose parts have a row each. */
interface PartsProps extends InputProps {
  /** JSON pointer of the value. */
  readonly path: string;
  readonly Row: ComponentType<RowProps>;
}

interface ItemsProps extends PartsProps {
  readonly item: Kind;
  readonly label: string;
}

export const ObjectInput = ({
  fields,
  path,
  Row,
  value,
  onChange,
}: PartsProps & { readonly fields: readonly Field[] }): ReactNode => {
  const object: JsonObject = isPlainObject(value) ? (value as JsonObject) : {};
  return (
    <div className="form-parts">
      {withOthers(fields, object, '').map((field) => (
        <Row
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

/** Longer lists and maps are edited as JSON. */
const MAX_ITEMS = 100;

export const hasTooManyParts = (value: JsonValue | undefined): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > MAX_ITEMS;

export const ListInput = ({ item, label, path, Row, ...input }: ItemsProps): ReactNode => {
  const { value, initial, onChange } = input;
  const items: readonly JsonValue[] = Array.isArray(value) ? value : Array.isArray(initial) ? initial : [];
  return (
    <div className="form-parts">
      {items.map((each, index) => (
        <Row
          // biome-ignore lint/suspicious/noArrayIndexKey: items have no names, and keep their places while one types
          key={index}
          field={toItemField(String(index), item)}
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

export const MapInput = ({ item, label, path, Row, ...input }: ItemsProps): ReactNode => {
  const { value, initial, onChange } = input;
  const [name, setName] = useState('');
  const source = value ?? initial;
  const object: JsonObject = isPlainObject(source) ? (source as JsonObject) : {};
  const keys = Object.keys(object);
  const isTaken = Object.hasOwn(object, name);
  return (
    <div className="form-parts">
      {keys.map((key) => (
        <Row
          key={key}
          field={toItemField(key, item)}
          path={path}
          value={object[key]}
          onChange={(changed) =>
            onChange(withField(object, toItemField(key, item), changed ?? emptyOf(item)))
          }
          actions={
            <Button
              variant="inline-link"
              ariaLabel={`Remove ${key} from ${label}`}
              onClick={() => onChange(withField(object, toItemField(key, item), undefined))}
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
            onChange(withField(object, toItemField(name, item), emptyOf(item)));
            setName('');
          }}
        >
          Add
        </Button>
      </div>
    </div>
  );
};
