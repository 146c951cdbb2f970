import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import { useChange } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { NameList } from '../../parts/name-list.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { Time } from '../../parts/time.tsx';
import { HealthStatus } from './health-status.tsx';
import type { PluginHealth } from './plugin-rows.ts';

type Credentials = NonNullable<PluginHealth['credentials']>;

/** The credentials that enabled workflows use with a plugin, and their live tests. */
export const PluginCredentials = ({ credentials }: { readonly credentials: Credentials }): ReactNode => (
  <Panel title="Credentials" description="Those that enabled workflows name for its nodes.">
    <ul className="fields">
      {Object.entries(credentials).map(([id, credential]) => (
        <li key={id}>
          <Credential id={id} credential={credential} />
        </li>
      ))}
    </ul>
  </Panel>
);

interface CredentialProps {
  readonly id: string;
  readonly credential: Credentials[string];
}

const Credential = ({ id, credential }: CredentialProps): ReactNode => {
  const { type, status, message, workflows, tested, testedAt } = credential;
  return (
    <>
      <div className="field-head">
        <IdLink of="credentials" id={id} />
        <Box color="text-body-secondary" display="inline">
          {type ?? 'not found'}
        </Box>
      </div>
      <HealthStatus status={status} message={message} />
      {asksForSignIn(message) && <SignInLink credentialId={id} />}
      <Box variant="small" display="block" color="text-body-secondary">
        Used by <NameList names={workflows} path="/workflows" />
        {tested === true && testedAt !== undefined && (
          <>
            . Tested <Time at={testedAt} />
          </>
        )}
      </Box>
      <LiveTest id={id} />
    </>
  );
};

/** Tests one credential against the system that it is for. */
const LiveTest = ({ id }: { readonly id: string }): ReactNode => {
  const test = useChange('POST /api/admin/credentials/{credentialId}/test');
  return (
    <>
      <Button
        variant="inline-link"
        ariaLabel={`Test now: ${id}`}
        loading={test.isPending}
        {...readOnly}
        onClick={() => test.mutate({ params: { credentialId: id } })}
      >
        Test now
      </Button>
      <div aria-live="polite">
        {test.data !== undefined && (
          <>
            The live test: <HealthStatus status={test.data.status} message={test.data.message} />
            {asksForSignIn(test.data.message) && <SignInLink credentialId={id} />}
          </>
        )}
        {test.error !== null && <ProblemAlert error={test.error} />}
      </div>
    </>
  );
};
