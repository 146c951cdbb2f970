import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { CursorButtons, useCursorPages } from '../../parts/cursor-pages.tsx';
import { Expires } from '../../parts/expiry.tsx';
import { Choice } from '../../parts/form-fields.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { Rows } from '../../parts/rows.tsx';
import { useQuestion } from '../../parts/use-question.tsx';
import { CreateCredential } from './create-credential.tsx';
import { CredentialHealth } from './credential-health.tsx';
import { NewSecret, newSecretOf } from './new-secret.tsx';

type Credential = Answer<'GET /api/admin/credentials'>['credentials'][number];

const DIRECTIONS = [
  { value: '', label: 'All directions' },
  { value: 'inbound', label: 'Of callers' },
  { value: 'outbound', label: 'For calling out' },
] as const;

/** The credentials of the stage, by id, a page at a time. */
const Credentials = (): ReactNode => {
  const [filters, change] = useAddressStates(['text', 'type', 'direction']);
  const pages = useCursorPages();
  const { question, ask, close, finish, outcome } = useQuestion<'create'>();
  const [secret, setSecret] = useState<ReturnType<typeof newSecretOf>>(null);
  const query = useApi('GET /api/admin/credentials', { query: { ...filters, cursor: pages.cursor } });
  const health = useApi('GET /api/admin/plugins/health');
  const types = useApi('GET /api/admin/credential-types', { query: { limit: 200 } }).data;
  const names = ['apiKey', 'basic', ...(types?.credentialTypes ?? []).map(({ id }) => id)];
  const all = names.includes(filters.type) || filters.type === '' ? names : [...names, filters.type];
  const filter = (values: Readonly<Record<string, string>>) => change({ ...values, cursor: '' });
  const isFiltered = Object.values(filters).some((value) => value !== '');
  return (
    <SpaceBetween size="m">
      <Header
        variant="h1"
        description="What callers of webhooks send, and what nodes call other systems with. Secrets are not shown."
        actions={
          <Button {...readOnly} onClick={() => ask('create')}>
            Create a credential
          </Button>
        }
      >
        Credentials
      </Header>
      {outcome}
      <div className="filters">
        <div className="filter-text">
          <TextFilter
            filteringText={filters.text}
            filteringAriaLabel="Find credentials"
            filteringPlaceholder="Find by id or type"
            onChange={({ detail }) => filter({ text: detail.filteringText })}
          />
        </div>
        <Choice
          ariaLabel="Direction"
          options={DIRECTIONS}
          value={filters.direction}
          otherwise={DIRECTIONS[0]}
          onChange={(direction) => filter({ direction })}
        />
        <Choice
          ariaLabel="Type"
          options={[{ value: '', label: 'All types' }, ...all]}
          filteringType="auto"
          filteringAriaLabel="Find a type"
          value={filters.type}
          onChange={(type) => filter({ type })}
        />
      </div>
      <Loaded query={query}>
        {({ credentials, nextCursor }) => (
          <>
            <Rows<Credential>
              label="Credentials"
              counted="page"
              enableKeyboardNavigation={true}
              items={credentials}
              trackBy="id"
              empty={
                isFiltered
                  ? 'No credential matches. Change the filters to see more.'
                  : 'There are no credentials. Create one for a webhook that only some may call, or for a system that a node calls.'
              }
              columns={[
                {
                  id: 'id',
                  header: 'Id',
                  isRowHeader: true,
                  minWidth: 150,
                  cell: ({ id }) => (
                    <span className="any-length">
                      <IdLink of="credentials" id={id} />
                    </span>
                  ),
                },
                { id: 'type', header: 'Type', minWidth: 120, cell: ({ type }) => type },
                {
                  id: 'direction',
                  header: 'Direction',
                  minWidth: 150,
                  cell: ({ direction }) => (direction === 'inbound' ? 'Of callers' : 'For calling out'),
                },
                { id: 'where', header: 'Hosts, or secrets of callers', minWidth: 180, cell: describeUse },
                {
                  id: 'expires',
                  header: 'Expires',
                  minWidth: 150,
                  cell: ({ expiresAt }) => <Expires at={expiresAt} />,
                },
                {
                  id: 'health',
                  header: 'Health',
                  minWidth: 160,
                  cell: ({ id, direction }) =>
                    direction === 'inbound' ? '–' : <CredentialHealth credentialId={id} report={health} />,
                },
              ]}
            />
            <Box float="right">
              <CursorButtons pages={pages} next={nextCursor} labels={['Previous', 'Next']} />
            </Box>
          </>
        )}
      </Loaded>
      {question === 'create' && (
        <CreateCredential
          onClose={close}
          onDone={(changed) => {
            finish(
              <>
                The credential <IdLink of="credentials" id={changed.id} /> is created.
              </>,
            );
            setSecret(newSecretOf(changed));
          }}
        />
      )}
      {secret !== null && <NewSecret {...secret} onClose={() => setSecret(null)} />}
    </SpaceBetween>
  );
};

const describeUse = (credential: Credential): string => {
  if (credential.direction === 'outbound') return describeHosts(credential.hosts);
  const { length } = credential.secrets;
  return length === 1 ? '1 live secret' : `${length} live secrets`;
};

/** @param hosts - null for a credential that is older than hosts */
export const describeHosts = (hosts: readonly string[] | null): string => {
  if (hosts === null) return 'Any host: it is older than hosts';
  return hosts.length === 0 ? 'None: its fields are lent to nodes' : hosts.join(', ');
};

export default Credentials;
