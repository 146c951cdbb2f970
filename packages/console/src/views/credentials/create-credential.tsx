import Box from '@cloudscape-design/components/box';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Textarea from '@cloudscape-design/components/textarea';
import Toggle from '@cloudscape-design/components/toggle';
import { type ReactNode, useState } from 'react';
import { OAUTH2_PRESETS } from '../../../../authoring/oauth2-presets.ts';
import { isOutdated } from '../../api/api.ts';
import { useApi } from '../../api/use-api.ts';
import { ExpiresField, expiryIn } from '../../parts/expiry.tsx';
import { ChangeDialog } from '../../parts/form-dialog.tsx';
import { Choice, TextField } from '../../parts/form-fields.tsx';
import { CredentialFields } from './credential-fields.tsx';
import {
  type CredentialForm,
  fieldsToShow,
  readFieldErrors,
  toCredentialFields,
  toOutboundBody,
  toPresetForm,
} from './credential-form.ts';
import type { Changed } from './new-secret.tsx';
import { SignInDialog } from './sign-in.tsx';
import { takesSignIn } from './sign-in-state.ts';
import { useSecretChange } from './use-secret-change.ts';

interface CreateCredentialProps {
  /** The types to choose from; absent for all. */
  readonly types?: readonly string[];
  readonly onClose: () => void;
  /** Called once it is created, before a person signs in for it, which leaves the page. */
  readonly onCreated?: (changed: Changed) => void;
  readonly onDone: (changed: Changed) => void;
}

const ANY_SERVER = { value: '', label: 'Another server' };

const SERVICES = [
  ...Object.entries(OAUTH2_PRESETS).map(([value, { name }]) => ({ value, label: name })),
  ANY_SERVER,
];

const OF_CALLERS = [
  { value: 'apiKey', label: 'apiKey', description: 'A key that callers of webhooks send' },
  { value: 'basic', label: 'basic', description: 'A name and a password that callers of webhooks send' },
];

const EMPTY: CredentialForm = { values: {}, ref: null, hosts: '' };

/** Creates a credential of callers, or one for calling out with the fields of its type. */
export const CreateCredential = (props: CreateCredentialProps): ReactNode => {
  const { types: offered, onClose, onCreated, onDone } = props;
  const [id, setId] = useState('');
  const [type, setType] = useState(offered?.[0] ?? 'apiKey');
  const [form, setForm] = useState(EMPTY);
  const [service, setService] = useState(ANY_SERVER.value);
  const [expires, setExpires] = useState('');
  const [created, setCreated] = useState<Changed | null>(null);
  const isOffered = ({ value }: { readonly value: string }) => offered?.includes(value) ?? true;
  const types = useApi('GET /api/admin/credential-types', { query: { limit: 200 } });
  const isOfCallers = OF_CALLERS.some(({ value }) => value === type);
  const shown = useApi(
    'GET /api/admin/credential-types/{type}',
    { params: { type } },
    { isOn: !isOfCallers },
  );
  const change = useSecretChange('PUT /api/admin/credentials/{credentialId}');
  const errors = readFieldErrors(change.error);
  const isTaken = isOutdated(change.error);
  const all = isOfCallers || shown.data === undefined ? [] : toCredentialFields(shown.data);
  const fields = fieldsToShow(type, all, form.values);
  const options = [
    { label: 'For callers of webhooks', options: OF_CALLERS.filter(isOffered) },
    {
      label: 'For calling out',
      options: (types.data?.credentialTypes ?? [])
        .filter(({ enabled, error }) => enabled && error === undefined)
        .map((each) => ({ value: each.id, label: each.id, description: each.name }))
        .filter(isOffered),
    },
  ].filter((group) => group.options.length > 0);
  const { username = '', password = '' } = form.values;
  const body = isOfCallers
    ? { type, ...(type === 'basic' && { username, ...(password === '' ? {} : { password }) }) }
    : toOutboundBody(type, fields, form);
  if (created !== null && takesSignIn(created))
    return (
      <SignInDialog
        credential={created}
        clientSecret={form.values.clientSecret ?? ''}
        onClose={() => onDone(created)}
      />
    );
  return (
    <ChangeDialog
      title="Create a credential"
      action="Create"
      change={change}
      error={isTaken ? null : change.error}
      call={{
        params: { credentialId: id.trim() },
        headers: { 'if-none-match': '*' },
        body: { ...body, ...expiryIn(expires) },
      }}
      onClose={onClose}
      onDone={(changed) => {
        onCreated?.(changed);
        if (takesSignIn(changed)) setCreated(changed);
        else onDone(changed);
      }}
    >
      <TextField
        label="Id"
        description="Nodes and webhooks name it."
        errorText={isTaken && 'A credential has this id already: choose another.'}
        stretch={true}
        spellcheck={false}
        value={id}
        onChange={setId}
      />
      <FormField label="Type" errorText={errors.type} stretch={true}>
        <Choice
          options={options}
          filteringType="auto"
          filteringAriaLabel="Find a type"
          value={type}
          onChange={(chosen) => {
            setType(chosen);
            setForm(EMPTY);
            setService(ANY_SERVER.value);
          }}
        />
      </FormField>
      {type === 'apiKey' && <Box>The key is generated, and shown once.</Box>}
      {type === 'basic' && (
        <CredentialFields
          fields={BASIC_FIELDS}
          values={form.values}
          errors={errors}
          onChange={(values) => setForm({ ...form, values })}
        />
      )}
      {!isOfCallers && shown.data === undefined && <StatusIndicator type="loading">Loading</StatusIndicator>}
      {!isOfCallers && shown.data !== undefined && (
        <SpaceBetween size="m">
          <Toggle
            checked={form.ref !== null}
            description="The service then reads it from there, and never changes it."
            onChange={({ detail }) => setForm({ ...form, ref: detail.checked ? '' : null })}
          >
            The secret is in Secrets Manager
          </Toggle>
          {form.ref !== null && (
            <TextField
              label="ARN of the secret"
              errorText={errors.ref}
              stretch={true}
              spellcheck={false}
              value={form.ref}
              onChange={(ref) => setForm({ ...form, ref })}
            />
          )}
          {type === 'oauth2' && form.ref === null && (
            <FormField
              label="Service"
              description="Fills in what is known of it. You sign in once it is created."
              stretch={true}
            >
              <Choice
                options={SERVICES}
                value={service}
                onChange={(chosen) => {
                  setService(chosen);
                  setForm(toPresetForm(chosen, form));
                }}
              />
            </FormField>
          )}
          <CredentialFields
            fields={form.ref === null ? fields : fields.filter(({ isSecret }) => !isSecret)}
            values={form.values}
            errors={errors}
            onChange={(values) => setForm({ ...form, values })}
          />
          {shown.data.hosts === 'named' && (
            <HostsField
              value={form.hosts}
              error={errors.hosts}
              onChange={(hosts) => setForm({ ...form, hosts })}
            />
          )}
        </SpaceBetween>
      )}
      <ExpiresField value={expires} error={errors.expiresAt} onChange={setExpires} />
    </ChangeDialog>
  );
};

const plain = { type: 'string', initial: null, allowed: [], limits: [], groups: [], isLong: false };

/** The password of a caller, which is generated if none is given. */
export const BASIC_PASSWORD = {
  ...plain,
  name: 'password',
  description: 'Of at least 8 characters. If it is empty, one is generated, and shown once.',
  isRequired: false,
  isSecret: true,
};

const BASIC_FIELDS = [
  { ...plain, name: 'username', description: '', isRequired: true, isSecret: false },
  BASIC_PASSWORD,
];

interface HostsFieldProps {
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (hosts: string) => void;
}

/** The hosts that a credential is sent to. */
export const HostsField = ({ value, error, onChange }: HostsFieldProps): ReactNode => (
  <FormField
    label="Hosts"
    description="It is sent only to these. One on each line: api.example.com, *.example.com or localhost:8080. If it is empty, the host of testUrl."
    errorText={error}
    stretch={true}
  >
    <Textarea rows={3} spellcheck={false} value={value} onChange={({ detail }) => onChange(detail.value)} />
  </FormField>
);
