import Box from '@cloudscape-design/components/box';
import ContentLayout from '@cloudscape-design/components/content-layout';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { NameList } from '../../parts/name-list.tsx';
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
        <ContentLayout
          header={
            <Header variant="h1" description={<MarkedText text={shown.description} />}>
              {shown.name}
            </Header>
          }
        >
          <SpaceBetween size="l">
            <ProviderState shown={shown} />
            <Panel title="Overview">
              <KeyValuePairs
                columns={3}
                items={[
                  { label: 'Type', value: <Box variant="code">{shown.id}</Box> },
                  {
                    label: 'Plugin',
                    value: <IdLink of="plugins" id={shown.plugin} />,
                  },
                  {
                    label: 'Use',
                    value: shown.appliesToRequests ? 'Added to requests' : 'Lent to the node',
                  },
                  { label: 'Hosts', value: HOSTS[shown.hosts] },
                  { label: 'Live test', value: shown.hasTest ? 'Yes' : 'No' },
                  { label: 'Node types', value: <NameList names={shown.nodeTypes} path="/node-types" /> },
                  {
                    label: 'Credentials',
                    value: (
                      <AppLink to={`/credentials?type=${encodeURIComponent(shown.id)}`}>
                        Show those of this type
                      </AppLink>
                    ),
                  },
                ]}
              />
            </Panel>
            <Panel title="Fields">
              <FieldList
                groups={toSchemaFields(shown.schema).groups}
                notes={(name) => (shown.secretFields.includes(name) ? ['secret'] : [])}
              />
            </Panel>
          </SpaceBetween>
        </ContentLayout>
      )}
    </Loaded>
  );
};

export default CredentialType;
