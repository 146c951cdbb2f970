import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import type { ReactNode } from 'react';
import { useParams } from 'wouter';
import { useApi } from '../../api/use-api.ts';
import { IdLink } from '../../parts/app-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { tryParseJson } from '../../parts/parse-json.ts';
import { Time } from '../../parts/time.tsx';
import { RequestVerdict } from './request-verdict.tsx';
import { SendAgain } from './send-again.tsx';
import './request.css';
import { MarkedText } from '../../parts/marked-text.tsx';

/** One recorded request: why it was refused, what it was, and sending it again. */
const RequestDetail = (): ReactNode => {
  const { requestId: id = '' } = useParams();
  const shown = useApi('GET /api/admin/requests/{id}', { params: { id } });
  return (
    <Loaded query={shown} heading={`Request ${id}`}>
      {(request) => {
        const { workflowId, verdict, refusal, executionId, method, path, query, body } = request;
        const address = `${method} ${path}${query === '' ? '' : `?${query}`}`;
        const json = tryParseJson(body);
        return (
          <Page
            title={
              <span className="any-length few-lines" title={address}>
                {address}
              </span>
            }
            description={<span className="any-text">{id}</span>}
          >
            {refusal !== null && (
              <Alert type="error" header={`Refused: ${refusal.code}`}>
                <div className="any-text">
                  <MarkedText text={refusal.detail} />
                  {refusal.reason !== null && (
                    <Box variant="p">
                      In the log: <MarkedText text={refusal.reason} />
                    </Box>
                  )}
                  {refusal.advice !== null && (
                    <Box variant="p">
                      What to change: <MarkedText text={refusal.advice} />
                    </Box>
                  )}
                </div>
              </Alert>
            )}
            <Container>
              <Facts
                columns={4}
                facts={{
                  Verdict: <RequestVerdict verdict={verdict} />,
                  Received: <Time at={request.receivedAt} />,
                  Sender: request.sender,
                  Workflow: <IdLink of="workflows" id={workflowId} />,
                  [verdict === 'duplicate' ? 'Execution of the first delivery' : 'Execution']:
                    executionId === null ? 'None' : <IdLink of="executions" id={executionId} />,
                  'Delivery key': request.key ?? 'None',
                  'Request id': request.requestId || 'None',
                  Body: `${request.bodyBytes.toLocaleString()} bytes`,
                }}
              />
            </Container>
            <Panel title="Headers">
              <JsonView value={request.headers} label="Headers" />
            </Panel>
            <Panel title="Body">
              {body === '' ? (
                request.bodyBytes === 0 ? (
                  'It had none.'
                ) : (
                  'It was not kept.'
                )
              ) : json === undefined ? (
                <pre className="any-text request-text">{body}</pre>
              ) : (
                <JsonView value={json} label="Body" />
              )}
            </Panel>
            <SendAgain key={id} request={request} />
          </Page>
        );
      }}
    </Loaded>
  );
};

export default RequestDetail;
