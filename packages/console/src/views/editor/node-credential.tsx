import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi, useApiPages } from '../../api/use-api.ts';
import { readOnly } from '../../parts/page-settings.ts';
import { CredentialHealth } from '../credentials/credential-health.tsx';
import { NewSecret, newSecretOf } from '../credentials/new-secret.tsx';

const CreateCredential = lazy(() =>
  import('../credentials/create-credential.tsx').then(({ CreateCredential }) => ({
    default: CreateCredential,
  })),
);

interface ChosenCredential {
  readonly id: string;
  readonly type: string;
}

interface NodeCredentialProps {
  /** Types that fit the node. */
  readonly types: readonly string[];
  readonly isRequired: boolean;
  /** The id of the node's credential; undefined if it has none. */
  readonly credentialId: string | undefined;
  readonly problems: readonly string[];
  /** Called with null when the node shall have none. */
  readonly onChoose: (credential: ChosenCredential | null) => void;
}

type Listed = Answer<'GET /api/admin/credentials'>['credentials'][number];

/** The credential of a node: one of those that fit, or a new one. */
export const NodeCredential = (props: NodeCredentialProps): ReactNode => {
  const { types, isRequired, credentialId, problems, onChoose } = props;
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<ReturnType<typeof newSecretOf>>(null);
  const [only] = types.length === 1 ? types : [];
  const { data, error, refetch, hasNextPage, fetchNextPage, isPending, isFetchingNextPage } = useApiPages(
    'GET /api/admin/credentials',
    { query: { limit: 100, ...(only === undefined ? {} : { type: only }) } },
  );
  const found = (data ?? [])
    .flatMap(({ credentials }) => credentials)
    .filter(({ type }) => types.includes(type));
  const chosen = found.find(({ id }) => id === credentialId);
  const health = useApi('GET /api/admin/plugins/health', {}, { isOn: chosen?.direction === 'outbound' });
  const options = [
    ...(isRequired && credentialId === undefined ? [] : [NONE]),
    ...found.map(toOption),
    ...(credentialId === undefined || chosen !== undefined
      ? []
      : [{ value: credentialId, label: credentialId, description: 'None of this id fits' }]),
  ];
  const isLoading = isPending || isFetchingNextPage;
  return (
    <SpaceBetween size="xs">
      <FormField
        label={isRequired ? 'Credential (required)' : 'Credential'}
        description={types.length === 0 ? 'The node type takes none' : `Type ${types.join(' or ')}`}
        errorText={problems.join(' ')}
        secondaryControl={
          <Button
            {...(types.length === 0 ? { disabled: true } : readOnly)}
            ariaLabel="Create a credential"
            onClick={() => setCreating(true)}
          >
            Create…
          </Button>
        }
      >
        <Select
          options={options}
          placeholder="Choose a credential"
          filteringType="auto"
          filteringAriaLabel="Find a credential"
          empty="No credential fits. Create one."
          statusType={error !== null ? 'error' : isLoading ? 'loading' : hasNextPage ? 'pending' : 'finished'}
          loadingText="Loading"
          errorText={error?.message ?? ''}
          recoveryText="Try again"
          onLoadItems={({ detail }) => {
            if (detail.samePage) void refetch();
            else if (hasNextPage && !isLoading) void fetchNextPage();
          }}
          selectedOption={options.find(({ value }) => value === (credentialId ?? '')) ?? null}
          onChange={({ detail }) => {
            const { value = '' } = detail.selectedOption;
            const type = found.find(({ id }) => id === value)?.type;
            if (value === '') onChoose(null);
            else if (type !== undefined) onChoose({ id: value, type });
          }}
        />
      </FormField>
      {chosen?.direction === 'outbound' && <CredentialHealth credentialId={chosen.id} report={health} />}
      {isCreating && (
        <Suspense fallback={null}>
          <CreateCredential
            types={types}
            onClose={() => setCreating(false)}
            onCreated={onChoose}
            onDone={(changed) => {
              setCreating(false);
              setSecret(newSecretOf(changed));
            }}
          />
        </Suspense>
      )}
      {secret !== null && <NewSecret {...secret} onClose={() => setSecret(null)} />}
    </SpaceBetween>
  );
};

const NONE = { value: '', label: 'None' };

const toOption = (credential: Listed) => ({
  value: credential.id,
  label: credential.id,
  description:
    credential.direction === 'outbound'
      ? credential.type
      : `${credential.type}, ${credential.secrets.length === 1 ? '1 live secret' : `${credential.secrets.length} live secrets`}`,
});
