import Box from '@cloudscape-design/components/box';
import { type ReactNode, useState } from 'react';
import { findAddedHosts, readHostPattern } from '../../../../../lib/credentials/outbound/host-pattern.ts';
import type { Answer } from '../../api/routes.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { ExpiresField, expiryIn } from '../../parts/expiry.tsx';
import { ChangeDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { BASIC_PASSWORD, HostsField } from './create-credential.tsx';
import { CredentialFields } from './credential-fields.tsx';
import { readFieldErrors, readHosts, toCredentialFields } from './credential-form.ts';
import type { Changed } from './new-secret.tsx';
import { useSecretChange } from './use-secret-change.ts';

export type ShownCredential = Answer<'GET /api/admin/credentials/{credentialId}'>;

export type Question = 'rotate' | 'hosts' | 'limits' | 'remove' | 'revokeAll' | { readonly revoke: string };

interface DialogProps {
  readonly credential: ShownCredential;
  readonly onClose: () => void;
  readonly onDone: (message: string, changed?: Changed) => void;
}

/** Changes are refused if the credential was changed since it was read. */
const callOf = ({ id, revision }: ShownCredential) => ({
  params: { credentialId: id },
  headers: { 'if-match': `"${revision}"` },
});

export const CredentialDialog = ({
  question,
  ...props
}: DialogProps & { readonly question: Question }): ReactNode => {
  if (question === 'rotate') return <Rotate {...props} />;
  if (question === 'hosts') return <Hosts {...props} />;
  if (question === 'limits') return <Limits {...props} />;
  if (question === 'remove') return <Remove {...props} />;
  return <Revoke {...props} secretId={question === 'revokeAll' ? null : question.revoke} />;
};

const Rotate = ({ credential, onClose, onDone }: DialogProps): ReactNode => {
  const { id, type, direction } = credential;
  const change = useSecretChange('POST /api/admin/credentials/{credentialId}/rotate');
  const isOut = direction === 'outbound';
  const { fields, given, ...typed } = useSecretFields(type, isOut);
  const optional = fields.map((field) => ({ ...field, isRequired: false }));
  const [expires, setExpires] = useState('');
  const errors = readFieldErrors(change.error);
  return (
    <ChangeDialog
      title={`Rotate ${id}`}
      action="Rotate"
      change={change}
      call={{
        ...callOf(credential),
        body: { ...(isOut ? { secrets: given } : given), ...expiryIn(expires) },
      }}
      onClose={onClose}
      onDone={(changed) => onDone(`${id} is rotated: revision ${changed.revision}.`, changed)}
    >
      <Box>
        {isOut
          ? 'The fields that you fill in replace those that are stored; the others stay. Nodes use them within seconds.'
          : 'This adds a secret. Earlier ones stay live until you revoke them.'}
      </Box>
      <CredentialFields
        {...typed}
        fields={type === 'basic' && !isOut ? [BASIC_PASSWORD] : optional}
        errors={errors}
      />
      <ExpiresField value={expires} error={errors.expiresAt} onChange={setExpires} />
    </ChangeDialog>
  );
};

/** The secret fields of a type, and what is typed into them: `given`, without those that are left empty. */
const useSecretFields = (type: string, isOn: boolean) => {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { data } = useApi('GET /api/admin/credential-types/{type}', { params: { type } }, { isOn });
  return {
    fields: data === undefined ? [] : toCredentialFields(data).filter(({ isSecret }) => isSecret),
    given: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
    values,
    onChange: setValues,
  };
};

const Hosts = ({ credential, onClose, onDone }: DialogProps): ReactNode => {
  const before = credential.direction === 'outbound' ? credential.hosts : [];
  const [text, setText] = useState((before ?? []).join('\n'));
  const change = useSecretChange('POST /api/admin/credentials/{credentialId}/hosts');
  const hosts = readHosts(text);
  const isBound = credential.direction === 'outbound' && credential.reference.startsWith('arn:');
  const named = hosts.map((host) => readHostPattern(host) ?? host);
  const added = isBound ? [] : findAddedHosts(before, named);
  const { given, ...secrets } = useSecretFields(credential.type, true);
  const errors = readFieldErrors(change.error);
  return (
    <ChangeDialog
      title={`Hosts of ${credential.id}`}
      action="Change"
      change={change}
      call={{
        ...callOf(credential),
        body: {
          ...(hosts.length > 0 && { hosts }),
          ...(added.length > 0 && Object.keys(given).length > 0 && { secrets: given }),
        },
      }}
      onClose={onClose}
      onDone={() => onDone('The hosts are changed. All runs know them within a minute.')}
    >
      <HostsField value={text} error={errors.hosts} onChange={setText} />
      {added.length > 0 && (
        <>
          <Box margin={{ vertical: 's' }}>
            {added.join(', ')} would get the secret, so enter all of it again. What you enter replaces what is
            stored.
          </Box>
          <CredentialFields {...secrets} errors={errors} />
        </>
      )}
    </ChangeDialog>
  );
};

const Limits = ({ credential, onClose, onDone }: DialogProps): ReactNode => {
  const before = credential.direction === 'outbound' ? credential.limits : undefined;
  const [perSecond, setPerSecond] = useState(String(before?.perSecond ?? ''));
  const [atOnce, setAtOnce] = useState(String(before?.atOnce ?? ''));
  const change = useChange('POST /api/admin/credentials/{credentialId}/limits');
  const limits = { ...toLimit('perSecond', perSecond), ...toLimit('atOnce', atOnce) };
  return (
    <ChangeDialog
      title={`Limits on the calls of ${credential.id}`}
      action="Change"
      change={change}
      call={{ ...callOf(credential), body: { limits: Object.keys(limits).length === 0 ? null : limits } }}
      onClose={onClose}
      onDone={() => onDone('The limits are changed. All runs know them within a minute.')}
    >
      <TextField
        label="Calls per second"
        description="Of all runs together; 0.5 is one in two seconds. Empty for no limit."
        type="number"
        step="any"
        value={perSecond}
        onChange={setPerSecond}
      />
      <TextField
        label="Calls at a time"
        description="Of all runs together. Empty for no limit."
        type="number"
        value={atOnce}
        onChange={setAtOnce}
      />
    </ChangeDialog>
  );
};

const toLimit = (name: 'perSecond' | 'atOnce', text: string): Partial<Record<typeof name, number>> =>
  text.trim() === '' ? {} : { [name]: Number(text) };

const Remove = ({ credential, onClose, onDone }: DialogProps): ReactNode => {
  const change = useChange('DELETE /api/admin/credentials/{credentialId}');
  return (
    <RemoveDialog
      title={`Remove ${credential.id}?`}
      change={change}
      call={callOf(credential)}
      onClose={onClose}
      onRemoved={({ id, keptSecret }) =>
        onDone(
          keptSecret === undefined
            ? `${id} is removed.`
            : `${id} is removed. Its secret stays in Secrets Manager: ${keptSecret}`,
        )
      }
    >
      Its secrets are deleted and can't be restored.
    </RemoveDialog>
  );
};

const Revoke = ({
  credential,
  secretId,
  onClose,
  onDone,
}: DialogProps & { readonly secretId: string | null }): ReactNode => {
  const change = useChange('POST /api/admin/credentials/{credentialId}/revoke');
  const what = secretId === null ? 'all secrets' : `the secret ${secretId}`;
  return (
    <ChangeDialog
      title={`Revoke ${what} of ${credential.id}?`}
      action="Revoke"
      change={change}
      call={{ ...callOf(credential), body: secretId === null ? { all: true } : { secretId } }}
      onClose={onClose}
      onDone={() => onDone(`Revoked: ${what}. Callers are refused within seconds.`)}
    >
      Callers that use it are refused within seconds. A revoked secret can't be restored.
    </ChangeDialog>
  );
};
