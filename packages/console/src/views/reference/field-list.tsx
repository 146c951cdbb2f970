import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import { Fragment, type ReactNode } from 'react';
import { MarkedText } from '../../parts/marked-text.tsx';
import type { SchemaField } from './schema-fields.ts';

interface FieldListProps {
  readonly groups: readonly (readonly SchemaField[])[];
  /** Words that are added to a field. */
  readonly notes?: (name: string) => readonly string[];
}

/** The keys of an object as a nested list. */
export const FieldList = ({ groups, notes = () => [] }: FieldListProps): ReactNode =>
  groups.map((fields, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the groups of a schema have no names and do not change
    <Fragment key={index}>
      {groups.length > 1 && <Box color="text-body-secondary">{index === 0 ? 'Either' : 'Or'}</Box>}
      <ul className="fields">
        {fields.map((field) => (
          <Field key={field.name} field={field} notes={notes(field.name)} />
        ))}
      </ul>
    </Fragment>
  ));

const Field = ({
  field,
  notes,
}: {
  readonly field: SchemaField;
  readonly notes: readonly string[];
}): ReactNode => {
  const { name, type, isRequired, initial, allowed, limits, description, groups } = field;
  return (
    <li>
      <div className="field-head">
        {name.includes('`') ? (
          <Box fontWeight="bold" display="inline">
            <MarkedText text={name} />
          </Box>
        ) : (
          <Box variant="code" fontWeight="bold">
            {name}
          </Box>
        )}
        <Box color="text-body-secondary" display="inline">
          <MarkedText text={type} />
        </Box>
        {isRequired && <Badge color="blue">required</Badge>}
        {notes.map((note) => (
          <Badge key={note}>{note}</Badge>
        ))}
      </div>
      {description !== '' && (
        <div className="field-text">
          <MarkedText text={description} />
        </div>
      )}
      {allowed.length > 0 && (
        <Trait name="Allowed">
          {allowed.map((value, index) => (
            <Fragment key={value}>
              {index > 0 && ', '}
              <code>{value}</code>
            </Fragment>
          ))}
        </Trait>
      )}
      {initial !== null && (
        <Trait name="Default">
          <code>{initial}</code>
        </Trait>
      )}
      {limits.length > 0 && <Trait name="Limits">{limits.join(', ')}</Trait>}
      <FieldList groups={groups} />
    </li>
  );
};

const Trait = ({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode => (
  <Box variant="small" color="text-body-secondary" display="block">
    {name}: {children}
  </Box>
);
