import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import { describeLimits } from '../../../../../lib/credentials/limits/call-limits.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Expires } from '../../parts/expiry.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { readOnly, readOnlyReason } from '../../parts/page-settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { Rows } from '../../parts/rows.tsx';
import { asksForSignIn, SignInLink } from '../../parts/sign-in-link.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuestion } from '../../parts/use-question.tsx';
import { HealthStatus } from '../plugins/health-status.tsx';
import { CredentialDialog, type Question, type ShownCredential } from './credential-actions.tsx';
import { CredentialHealth } from './credential-health.tsx';
import { describeHosts } from './credentials.tsx';
import { NewSecret, newSecretOf } from './new-secret.tsx';
import { SignInDialog } from './sign-in.tsx';
import { isSignedIn, takesSignIn } from './sign-in-state.ts';

/** One credential, with its users, its health, and all that can be changed. */
const CredentialView = (): ReactNode => {
  const { credentialId = '' } = useParams();
  const { question, ask, close, finish, isFinished: isRemoved, outcome } = useQuestion<Question>();
  const [secret, setSecret] = useState<ReturnType<typeof newSecretOf>>(null);
  const [dialog, setDialog] = useAddressState('dialog');
  const query = useApi(
    'GET /api/admin/credentials/{credentialId}',
    { params: { credentialId } },
    { isOn: !isRemoved },
  );
  if (isRemoved)
    return (
      <SpaceBetween size="m">
        <Header variant="h1">
          <span className="any-length">{credentialId}</span>
        </Header>
        {outcome}
        <AppLink to="/credentials">Show all credentials</AppLink>
      </SpaceBetween>
    );
  return (
    <SpaceBetween size="m">
      {outcome}
      <Loaded query={query} heading={`Credential ${credentialId}`}>
        {(credential) => (
          <>
            <Shown credential={credential} onAsk={ask} onSignIn={() => setDialog('sign-in')} />
            {dialog === 'sign-in' && takesSignIn(credential) && readOnlyReason === null && (
              <SignInDialog credential={credential} onClose={() => setDialog('')} />
            )}
            {question !== null && (
              <CredentialDialog
                question={question}
                credential={credential}
                onClose={close}
                onDone={(text, changed) => {
                  finish(text, question === 'remove');
                  if (changed !== undefined) setSecret(newSecretOf(changed));
                }}
              />
            )}
          </>
        )}
      </Loaded>
      {secret !== null && <NewSecret {...secret} onClose={() => setSecret(null)} />}
    </SpaceBetween>
  );
};

interface ShownProps {
  readonly credential: ShownCredential;
  readonly onAsk: (question: Question) => void;
  readonly onSignIn: () => void;
}

const CHANGES = [
  { question: 'rotate', text: 'Rotate', onlyOut: false },
  { question: 'hosts', text: 'Change hosts', onlyOut: true },
  { question: 'limits', text: 'Change limits', onlyOut: true },
  { question: 'remove', text: 'Remove', onlyOut: false },
] as const;

const Shown = ({ credential, onAsk, onSignIn }: ShownProps): ReactNode => {
  const { id, type, direction, revision } = credential;
  const isOut = direction === 'outbound';
  const hasSignIn = takesSignIn(credential);
  const signIn = isSignedIn(credential) === false ? 'Sign in' : 'Sign in again';
  const test = useChange('POST /api/admin/credentials/{credentialId}/test');
  const health = useApi('GET /api/admin/plugins/health', {}, { isOn: isOut });
  return (
    <HeadedPage
      title={<span className="any-length">{id}</span>}
      description={isOut ? 'For calling out' : 'Of callers of webhooks'}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          {hasSignIn && (
            <Button {...readOnly} onClick={onSignIn}>
              {signIn}
            </Button>
          )}
          {isOut && (
            <Button
              {...readOnly}
              loading={test.isPending}
              onClick={() => test.mutate({ params: { credentialId: id } })}
            >
              Test
            </Button>
          )}
          {CHANGES.filter(({ onlyOut }) => isOut || !onlyOut).map(({ question, text }) => (
            <Button key={text} {...readOnly} onClick={() => onAsk(question)}>
              {text}
            </Button>
          ))}
        </SpaceBetween>
      }
    >
      {test.error !== null && <ProblemAlert error={test.error} />}
      {test.data !== undefined && (
        <Outcome
          type={test.data.status === 'healthy' ? 'success' : 'warning'}
          header="The live test"
          dismissible={true}
          onDismiss={test.reset}
        >
          <HealthStatus status={test.data.status} message={test.data.message} />
          {asksForSignIn(test.data.message) && <SignInLink credentialId={id} />}
        </Outcome>
      )}
      <Panel title="Overview">
        <div className="any-length">
          <KeyValuePairs
            columns={3}
            items={[
              // The types of callers' credentials belong to the service and have no page.
              { label: 'Type', value: isOut ? <IdLink of="credential-types" id={type} /> : type },
              { label: 'Revision', value: String(revision) },
              { label: 'Expires', value: <Expires at={credential.expiresAt} /> },
              ...(credential.direction === 'inbound'
                ? [{ label: 'User name', value: credential.username ?? '–' }]
                : [
                    { label: 'Hosts', value: describeHosts(credential.hosts) },
                    {
                      label: 'Limits on calls',
                      value: credential.limits === undefined ? 'None' : describeLimits(credential.limits),
                    },
                    { label: 'Secret', value: <Box variant="code">{credential.reference}</Box> },
                    ...(hasSignIn
                      ? [{ label: 'Sign-in', value: SIGN_INS[String(isSignedIn(credential))] }]
                      : []),
                    {
                      label: 'Health',
                      value:
                        test.data === undefined ? (
                          <CredentialHealth credentialId={id} report={health} />
                        ) : (
                          <HealthStatus status={test.data.status} />
                        ),
                    },
                    ...Object.entries(credential.fields).map(([label, value]) => ({ label, value })),
                  ]),
            ]}
          />
        </div>
      </Panel>
      {credential.direction === 'inbound' && <Secrets secrets={credential.secrets} onAsk={onAsk} />}
      <Users users={credential.users} />
    </HeadedPage>
  );
};

/** What is stored of a sign-in, by whether there is one. */
const SIGN_INS: Readonly<Record<string, string>> = {
  true: 'Stored',
  false: 'Nobody has signed in',
  null: 'Not known: the secret store does not answer',
};

type Secret = Extract<ShownCredential, { direction: 'inbound' }>['secrets'][number];

const Secrets = ({
  secrets,
  onAsk,
}: Pick<ShownProps, 'onAsk'> & { readonly secrets: readonly Secret[] }): ReactNode => (
  <Rows<Secret>
    label="Live secrets"
    wrapLines={false}
    items={secrets}
    trackBy="id"
    header={
      <Header
        variant="h2"
        counter={`(${secrets.length})`}
        description="Each of them is accepted. Only hashes are stored."
        actions={
          secrets.length > 1 && (
            <Button {...readOnly} onClick={() => onAsk('revokeAll')}>
              Revoke all
            </Button>
          )
        }
      >
        Live secrets
      </Header>
    }
    empty="No secret is live: every caller is refused. Rotate to add one."
    columns={[
      { id: 'id', header: 'Secret', isRowHeader: true, cell: ({ id }) => id },
      { id: 'createdAt', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
      {
        id: 'actions',
        header: 'Actions',
        cell: ({ id }) => (
          <Button
            {...readOnly}
            variant="inline-link"
            ariaLabel={`Revoke the secret ${id}`}
            onClick={() => onAsk({ revoke: id })}
          >
            Revoke
          </Button>
        ),
      },
    ]}
  />
);

type User = ShownCredential['users'][number];

const Users = ({ users }: { readonly users: readonly User[] }): ReactNode => (
  <Rows<User>
    label="Where it is used"
    items={users}
    trackBy={({ workflowId, nodeId }) => `${workflowId} ${nodeId}`}
    header={
      <Header variant="h2" counter={`(${users.length})`}>
        Where it is used
      </Header>
    }
    empty="No node names it. It can be removed."
    columns={[
      {
        id: 'workflow',
        header: 'Workflow',
        isRowHeader: true,
        cell: ({ workflowId }) => <IdLink of="workflows" id={workflowId} />,
      },
      { id: 'node', header: 'Node', cell: ({ nodeId }) => nodeId },
    ]}
  />
);

export default CredentialView;
