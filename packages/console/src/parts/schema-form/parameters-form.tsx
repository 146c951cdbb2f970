import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { JsonObject } from '@hookloom/plugin-kit';
import { type ReactNode, useMemo, useState } from 'react';
import type { KnownNames, Sample } from '../expression/evaluate-sample.ts';
import { ProblemList } from './field-frame.tsx';
import { FieldRow } from './field-row.tsx';
import {
  type Field,
  messagesAt,
  type ParameterProblem,
  placeMissing,
  pointerTo,
  toFields,
  withField,
} from './fields.ts';
import { FormContext } from './form-context.ts';
import './schema-form.css';

interface ParametersFormProps {
  /** JSON Schema of the parameters, as the API describes a node type. */
  readonly schema: unknown;
  readonly value: JsonObject;
  /** Called with every change. Keys that the form does not show stay, and defaults are left out. */
  readonly onChange: (value: JsonObject) => void;
  readonly problems?: readonly ParameterProblem[];
  /** Whether values may be expressions, as those of actions may. */
  readonly allowsExpressions: boolean;
  /** Parameters in which braces are literal text. */
  readonly literals?: readonly string[];
  /** Data that expressions are tried on; null if there is none. */
  readonly sample?: Sample | null;
  readonly names?: KnownNames;
}

const NONE = [] as const;
const NO_NAMES: KnownNames = { nodes: [], variables: null };

/** A form of more fields shows the first ones and those that are set; the others are folded. */
const MANY = 15;
const FIRST = 7;

/** The parameters of a node as a form, made from their schema. */
const ParametersForm = (props: ParametersFormProps): ReactNode => {
  const { schema, value, onChange, allowsExpressions } = props;
  const { problems: found = NONE, literals = NONE, sample = null, names = NO_NAMES } = props;
  const fields = useMemo(() => withOthers(toFields(schema), value), [schema, value]);
  const problems = useMemo(() => placeMissing(found, fields), [found, fields]);
  const context = { problems, allowsExpressions, sample, names, parameters: value };
  const literal = { ...context, allowsExpressions: false };
  // A field does not move while it is edited.
  const [setAtFirst] = useState(() => new Set(Object.keys(value)));
  const isFolded = (field: Field, index: number) =>
    fields.length > MANY && index >= FIRST && !field.isRequired && !setAtFirst.has(field.key);
  const [isOpen, setOpen] = useState(false);
  const folded = fields.filter(isFolded);
  const isFaulty = folded.some(({ key }) => messagesAt(problems, pointerTo('', key), false).length > 0);
  const toRow = (field: Field) => (
    <FormContext key={field.key} value={literals.includes(field.key) ? literal : context}>
      <FieldRow
        field={field}
        path=""
        value={Object.hasOwn(value, field.key) ? value[field.key] : undefined}
        onChange={(changed) => onChange(withField(value, field, changed))}
      />
    </FormContext>
  );
  return (
    <SpaceBetween size="l">
      <ProblemList messages={messagesAt(problems, '', true)} />
      {fields.filter((field, index) => !isFolded(field, index)).map(toRow)}
      {folded.length > 0 && (
        <ExpandableSection
          headerText={`More parameters (${folded.length})`}
          headerDescription={folded.map(({ key }) => key).join(', ')}
          expanded={isOpen || isFaulty}
          onChange={({ detail }) => setOpen(detail.expanded)}
        >
          {(isOpen || isFaulty) && <SpaceBetween size="l">{folded.map(toRow)}</SpaceBetween>}
        </ExpandableSection>
      )}
    </SpaceBetween>
  );
};

/** With the keys that the value has and the schema does not, as JSON. */
const withOthers = (fields: readonly Field[], value: JsonObject): readonly Field[] => {
  const known = new Set(fields.map(({ key }) => key));
  const others = Object.keys(value).filter((key) => !known.has(key));
  return [
    ...fields,
    ...others.map((key) => ({
      key,
      kind: { type: 'json' } as const,
      description: 'The node type has no such parameter.',
      initial: undefined,
      isRequired: false,
    })),
  ];
};

export default ParametersForm;
