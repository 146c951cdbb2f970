import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { Answer } from '../../api/routes.ts';
import { useChange } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { TextField } from '../../parts/form-fields.tsx';
import { JsonField } from '../../parts/json-field.tsx';
import { MarkedText } from '../../parts/marked-text.tsx';
import { Outcome } from '../../parts/outcome.tsx';
import { readOnlyReason } from '../../parts/page-settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { ProblemAlert } from '../../parts/problem-alert.tsx';
import { toEdit, toEditable } from './to-edit.ts';

interface SendAgainProps {
  readonly request: Answer<'GET /api/admin/requests/{id}'>;
}

/** Sends a recorded request again, as it was or edited. */
export const SendAgain = ({ request }: SendAgainProps): ReactNode => {
  const { id, workflowId, missing } = request;
  const [body, setBody] = useState(() => toEditable(request.body));
  const [query, setQuery] = useState(request.query);
  const [headers, setHeaders] = useState('{}');
  const [version, setVersion] = useState('');
  const [isAsking, setAsking] = useState(false);
  const send = useChange('POST /api/admin/requests/{id}/send-again');
  const edit = toEdit(request, { body, query, headers });
  const problemOf = (field: 'body' | 'headers') =>
    'problem' in edit && edit.field === field ? edit.problem : undefined;
  const isVersion = /^([1-9]\d{0,8})?$/.test(version);
  const isEdited = 'input' in edit && Object.keys(edit.input).length > 0;
  const reason =
    readOnlyReason ||
    ('problem' in edit && edit.problem) ||
    (!isVersion && 'The version must be a number.') ||
    null;

  if (missing !== null)
    return (
      <Panel title="Send again">
        <Box variant="p">
          It can’t be sent again: <MarkedText text={missing} />.
        </Box>
      </Panel>
    );

  const sendNow = () =>
    send.mutate(
      {
        params: { id },
        body: {
          ...(version === '' ? {} : { version: Number(version) }),
          ...(isEdited ? { input: edit.input } : {}),
        },
      },
      { onSettled: () => setAsking(false) },
    );

  return (
    <Panel
      title="Send again"
      footer={
        <Button
          disabled={reason !== null}
          disabledReason={reason ?? ''}
          loading={send.isPending}
          onClick={() => setAsking(true)}
        >
          {isEdited ? 'Send edited' : 'Send again'}
        </Button>
      }
      description="It starts a new execution in the background. You vouch for it: no credential, signature or limit is checked."
    >
      <SpaceBetween size="m">
        <FormField label="Body" stretch={true} errorText={problemOf('body')}>
          <JsonField value={body} label="Body to send" onChange={setBody} />
        </FormField>
        <ExpandableSection headerText="Query, headers and version">
          <SpaceBetween size="m">
            <TextField label="Query" value={query} onChange={setQuery} />
            <FormField
              label="Headers to change"
              description="By name, as JSON; null removes one. The others stay."
              errorText={problemOf('headers')}
              stretch={true}
            >
              <JsonField value={headers} label="Headers to change" onChange={setHeaders} />
            </FormField>
            <TextField
              label="Version"
              errorText={isVersion ? undefined : 'Enter the number of a version.'}
              value={version}
              inputMode="numeric"
              placeholder="The current one"
              onChange={setVersion}
            />
          </SpaceBetween>
        </ExpandableSection>
        {send.error !== null && <ProblemAlert error={send.error} />}
        {send.data !== undefined && (
          <Outcome header="Sent again">
            {send.data.executionId === null ? (
              'The webhook’s filter skipped it, so it started nothing.'
            ) : (
              <span className="any-text">
                It started <IdLink of="executions" id={send.data.executionId} /> with version{' '}
                {send.data.workflowVersion} of {workflowId}.
              </span>
            )}
          </Outcome>
        )}
        {isAsking && (
          <Confirm
            title={isEdited ? 'Send the edited request' : 'Send this request again'}
            action="Send"
            isBusy={send.isPending}
            onConfirm={sendNow}
            onCancel={() => setAsking(false)}
          >
            It starts {workflowId} once more. What its nodes do on the outside can’t be undone.
          </Confirm>
        )}
      </SpaceBetween>
    </Panel>
  );
};
