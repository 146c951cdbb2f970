import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NameList } from '../../parts/name-list.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { FieldList } from './field-list.tsx';
import { ProviderState } from './provider-state.tsx';
import { toSchemaFields } from './schema-fields.ts';

const HOSTS = {
  none: 'The type has no hosts',
  fixed: 'The type names them',
  derived: 'They follow from its fields',
  named: 'Each credential names its own',
} as const;

const CredentialType = (): ReactNode => {
  const { type = '' } = useParams();
  const query = useApi('GET /api/admin/credential-types/{type}', { params: { type } });
  return (
    <Loaded query={query} heading={`Credential type ${type}`}>
      {(shown) => (
        <HeadedPage title={shown.name} description={<MarkedText text={shown.description} />}>
          <ProviderState shown={shown} />
          <Panel title="Overview">
            <Facts
              columns={3}
              facts={{
                Type: <Box variant="code">{shown.id}</Box>,
                Plugin: <IdLink of="plugins" id={shown.plugin} />,
                Use: shown.appliesToRequests ? 'Added to requests' : 'Lent to the node',
                Hosts: HOSTS[shown.hosts],
                'Sign-in': shown.hasSignIn ? 'Yes' : 'No',
                'Live test': shown.hasTest ? 'Yes' : 'No',
                'Node types': <NameList names={shown.nodeTypes} path="/node-types" />,
                Credentials: (
                  <AppLink to={`/credentials?type=${encodeURIComponent(shown.id)}`}>
                    Show those of this type
                  </AppLink>
                ),
              }}
            />
          </Panel>
          <Panel title="Fields">
            <FieldList
              groups={toSchemaFields(shown.schema).groups}
              notes={(name) => (shown.secretFields.includes(name) ? ['secret'] : [])}
            />
          </Panel>
        </HeadedPage>
      )}
    </Loaded>
  );
};

export default CredentialType;
