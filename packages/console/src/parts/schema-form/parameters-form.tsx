import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { JsonObject } from '@hookloom/plugin-kit';
import { type ReactNode, useMemo, useState } from 'react';
import { ProblemList } from './field-frame.tsx';
import { FieldRow } from './field-row.tsx';
import {
  type Field,
  messagesAt,
  placeMissing,
  pointerTo,
  toFields,
  withField,
  withOthers,
} from './fields.ts';
import { FormContext, type FormKnowledge, NOTHING_KNOWN } from './form-context.ts';
import './schema-form.css';

interface ParametersFormProps extends Partial<Omit<FormKnowledge, 'parameters'>> {
  /** JSON Schema of the parameters, as the API describes a node type. */
  readonly schema: unknown;
  readonly value: JsonObject;
  /** Called with every change. Keys that the form does not show stay, and defaults are left out. */
  readonly onChange: (value: JsonObject) => void;
  /** Parameters in which braces are literal text. */
  readonly literals?: readonly string[];
}

/** A form of more fields shows the first ones and those that are set; the others are folded. */
const MANY = 15;
const FIRST = 7;

/** The parameters of a node as a form, made from their schema. */
const ParametersForm = (props: ParametersFormProps): ReactNode => {
  const { schema, value, onChange, literals = [], ...given } = props;
  const known = { ...NOTHING_KNOWN, ...given, parameters: value };
  const fields = useMemo(() => withOthers(toFields(schema), value, UNKNOWN), [schema, value]);
  const problems = useMemo(() => placeMissing(known.problems, fields), [known.problems, fields]);
  const context = { ...known, problems };
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

const UNKNOWN = 'The node type has no such parameter.';

export default ParametersForm;
