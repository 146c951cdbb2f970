import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { isOutdated } from '../../api/api.ts';
import { useChange } from '../../api/use-api.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Choice, TextField } from '../../parts/form-fields.tsx';
import { JsonField } from '../../parts/json-field.tsx';
import { formatTime } from '../../parts/time.tsx';
import {
  EMPTY,
  type Entry,
  type EntryForm,
  type Expiry,
  readForm,
  type Scope,
  toForm,
} from './entry-form.ts';
import { Written } from './written.tsx';

interface ChangeEntryProps {
  readonly scope: Scope;
  /** The entry as it is stored now; null to create one. */
  readonly entry: Entry | null;
  readonly onClose: () => void;
  readonly onDone: (entry: Entry) => void;
}

/** Creates an entry or changes its value, in place of the version that the reader has seen. */
export const ChangeEntry = ({ scope, entry, onClose, onDone }: ChangeEntryProps): ReactNode => {
  const [form, setForm] = useState<EntryForm>(entry === null ? EMPTY : toForm(entry));
  const [mistakes, setMistakes] = useState<NonNullable<ReturnType<typeof readForm>['mistakes']>>({});
  const [seen, setSeen] = useState(entry?.version ?? 0);
  const change = useChange('PUT /api/admin/state/entry');
  const edit = (changes: Partial<EntryForm>) => setForm({ ...form, ...changes });
  // A refusal has the entry read again, and so does coming back to this page.
  const isOvertaken = entry !== null && entry.version !== seen;
  const isConflict = isOutdated(change.error);
  const isTaken = entry === null && isConflict;
  const submit = () => {
    const { body, mistakes: found } = readForm(form, entry?.expiresAt ?? null, Date.now());
    setMistakes(found ?? {});
    if (body === null) return;
    const headers: Record<string, string> =
      entry === null ? { 'if-none-match': '*' } : { 'if-match': `"${seen}"` };
    change.mutate({ query: { ...scope, key: form.key }, headers, body }, { onSuccess: onDone });
  };
  const goOn = (next: EntryForm) => {
    change.reset();
    setForm(next);
    setSeen(entry?.version ?? 0);
  };
  return (
    <FormDialog
      title={entry === null ? 'Create an entry' : 'Change the entry'}
      action={entry === null ? 'Create' : 'Change'}
      change={change}
      error={isTaken || (isOvertaken && isConflict) ? null : change.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {entry === null && (
        <TextField
          label="Key"
          description="At most 1,024 bytes."
          errorText={isTaken ? 'An entry has this key already: choose another.' : mistakes.key}
          stretch={true}
          spellcheck={false}
          value={form.key}
          onChange={(key) => edit({ key })}
        />
      )}
      {isOvertaken && (
        <Overtaken entry={entry} onTake={() => goOn(toForm(entry))} onKeep={() => goOn(form)} />
      )}
      <FormField
        label="Value"
        description="Any JSON. Never a secret: readers of the stage see it."
        errorText={mistakes.text}
        stretch={true}
      >
        <JsonField label="Value as JSON" value={form.text} onChange={(text) => edit({ text })} />
      </FormField>
      <ExpiryFields
        form={form}
        expiresAt={entry?.expiresAt ?? null}
        mistake={mistakes.seconds}
        onEdit={edit}
      />
    </FormDialog>
  );
};

interface OvertakenProps {
  readonly entry: Entry;
  readonly onTake: () => void;
  readonly onKeep: () => void;
}

/** Says that another one was faster, and what is stored now. */
const Overtaken = ({ entry, onTake, onKeep }: OvertakenProps): ReactNode => (
  <div role="alert">
    <Alert type="warning" header={`Version ${entry.version} was written meanwhile`}>
      <SpaceBetween size="xs">
        <div>
          Your change is not stored. This was: <Written entry={entry} />
        </div>
        <div className="variable-value any-text">{preview(entry.value)}</div>
        <SpaceBetween direction="horizontal" size="xs">
          <Button formAction="none" onClick={onTake}>
            Take its value
          </Button>
          <Button formAction="none" onClick={onKeep}>
            Keep mine, to replace version {entry.version}
          </Button>
        </SpaceBetween>
      </SpaceBetween>
    </Alert>
  </div>
);

/** Longer values are cut. In characters. */
const PREVIEW = 200;

/** The beginning of a value, as JSON. */
export const preview = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length <= PREVIEW ? text : `${text.slice(0, PREVIEW)}…`;
};

interface ExpiryFieldsProps {
  readonly form: EntryForm;
  readonly expiresAt: string | null;
  readonly mistake: string | undefined;
  readonly onEdit: (changes: Partial<EntryForm>) => void;
}

const ExpiryFields = ({ form, expiresAt, mistake, onEdit }: ExpiryFieldsProps): ReactNode => {
  const options = [
    ...(expiresAt === null ? [] : [{ value: 'kept', label: `${formatTime(expiresAt)}, as before` }]),
    { value: 'never', label: 'Never' },
    { value: 'after', label: 'Some time after this change' },
  ];
  return (
    <>
      <FormField label="Expires" stretch={true}>
        <Choice
          options={options}
          value={form.expiry}
          onChange={(expiry) => onEdit({ expiry: expiry as Expiry })}
        />
      </FormField>
      {form.expiry === 'after' && (
        <TextField
          label="Seconds until it expires"
          errorText={mistake}
          stretch={true}
          inputMode="numeric"
          value={form.seconds}
          onChange={(seconds) => onEdit({ seconds })}
        />
      )}
    </>
  );
};
