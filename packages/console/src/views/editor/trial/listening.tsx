import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { callApi } from '../../../api/api.ts';
import type { Answer } from '../../../api/routes.ts';
import { useApi } from '../../../api/use-api.ts';
import { ProblemAlert } from '../../../parts/problem-alert.tsx';
import type { DefinitionNode } from '../../workflow/definition.ts';
import { WebhookAddress } from '../../workflow/webhook-address.tsx';
import { formatTime } from './origin.ts';
import type { RecordedRequest } from './recorded-data.ts';

type Begun = Answer<'POST /api/admin/workflows/{workflowId}/listening'>;
type State = Answer<'GET /api/admin/workflows/{workflowId}/listening/{listeningId}'>;

const POLL_MS = 1_000;

type Listening = ReturnType<typeof useListening>;

/**
 * Catches the next request to a webhook of a stored workflow as a test. It stops when the page is left, so that the request
 * starts its run then.
 *
 * @param workflowId - empty for a new workflow
 */
export const useListening = (workflowId: string, onCaught: (request: RecordedRequest) => void) => {
  const [begun, setBegun] = useState<Begun | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [report, setReport] = useState('');
  const [failure, setFailure] = useState<Error | null>(null);
  const latest = useRef<Begun | null>(null);
  const isLeft = useRef(false);

  const set = (next: Begun | null) => {
    latest.current = next;
    setBegun(next);
  };
  const finish = ({ id, request }: State, reason: string) => {
    if (latest.current?.id !== id) return;
    set(null);
    if (request !== null) onCaught(request);
    else setReport(reason);
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    setReport('');
    await work().catch(setFailure);
    setBusy(false);
  };

  const params = { workflowId, listeningId: begun?.id ?? '' };
  const { data, error } = useApi(
    'GET /api/admin/workflows/{workflowId}/listening/{listeningId}',
    { params },
    { isOn: begun !== null, everyMs: POLL_MS },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state alone ends the listening
  useEffect(() => {
    if (data === undefined || data.state === 'listening' || begun === null) return;
    const isOver = Date.now() >= Date.parse(begun.until);
    finish(data, isOver ? 'No request came.' : 'Listening has ended: it was begun or stopped elsewhere.');
  }, [data]);

  const stopLeft = useCallback(() => {
    if (latest.current === null) return;
    const left = { workflowId, listeningId: latest.current.id };
    void callApi(STOP, { params: left, keepalive: true }).catch(() => {}); // it ends by itself, too
  }, [workflowId]);
  useEffect(() => {
    isLeft.current = false;
    window.addEventListener('pagehide', stopLeft);
    return () => {
      isLeft.current = true;
      window.removeEventListener('pagehide', stopLeft);
      stopLeft();
    };
  }, [stopLeft]);

  return {
    begun,
    isBusy,
    report,
    failure: failure ?? (begun === null ? null : error),
    begin: (triggerNodeId: string) =>
      attempt(async () => {
        const body = { triggerNodeId };
        const params = { workflowId };
        set(await callApi('POST /api/admin/workflows/{workflowId}/listening', { params, body }));
        if (isLeft.current) stopLeft(); // the page was left before the answer
      }),
    stop: () => attempt(async () => finish(await callApi(STOP, { params }), 'Stopped: no request came.')),
  };
};

const STOP = 'DELETE /api/admin/workflows/{workflowId}/listening/{listeningId}';

interface ListenButtonProps {
  readonly listening: Listening;
  /** The webhook triggers of the draft. */
  readonly triggers: readonly DefinitionNode[];
  readonly isStored: boolean;
  readonly isDisabled: boolean;
}

/** Begins to listen; asks for which trigger only if there are several. */
export const ListenButton = ({
  listening: { begun, isBusy, begin, stop },
  triggers,
  isStored,
  isDisabled,
}: ListenButtonProps): ReactNode => {
  if (begun !== null)
    return (
      <Button loading={isBusy} onClick={() => void stop()}>
        Stop listening
      </Button>
    );
  const [first] = triggers;
  if (first === undefined) return null;
  const off = isStored
    ? { disabled: isDisabled }
    : { disabled: true, disabledReason: 'Save the workflow first: its webhook is called then.' };
  if (triggers.length === 1)
    return (
      <Button loading={isBusy} {...off} onClick={() => void begin(first.id)}>
        Listen
      </Button>
    );
  return (
    <ButtonDropdown
      items={triggers.map(({ id }) => ({ id, text: id }))}
      loading={isBusy}
      {...off}
      onItemClick={({ detail }) => void begin(detail.id)}
    >
      Listen
    </ButtonDropdown>
  );
};

/** Where to send the request that is to be caught, and what became of it. */
export const ListeningReport = ({
  listening: { begun, report, failure },
  triggers,
}: Pick<ListenButtonProps, 'listening' | 'triggers'>): ReactNode => {
  const isReady = useIsPast(begun?.readyAt ?? null);
  return (
    <>
      <div role="status">{report}</div>
      {failure !== null && <ProblemAlert error={failure} />}
      {begun !== null && (
        <Alert type="info" header={isReady ? 'Send a request' : 'Getting ready'}>
          <SpaceBetween size="xs">
            <div role="status">
              {isReady
                ? `The next request to ${begun.triggerNodeId} is caught as a test. The saved version checks it, and starts nothing.`
                : `Wait until ${formatTime(begun.readyAt)}: before that, a request may still start the saved version.`}
            </div>
            {begun.addresses.map((address) => (
              <WebhookAddress
                key={`${address.method} ${address.url}`}
                address={address}
                node={triggers.find(({ id }) => id === begun.triggerNodeId) ?? {}}
              />
            ))}
            <Box color="text-body-secondary">Ends by itself at {formatTime(begun.until)}.</Box>
          </SpaceBetween>
        </Alert>
      )}
    </>
  );
};

/** Whether a time has come. @param at - ISO 8601; null for none */
const useIsPast = (at: string | null): boolean => {
  const [past, setPast] = useState<string | null>(null);
  useEffect(() => {
    if (at === null) return;
    const timer = setTimeout(() => setPast(at), Math.max(0, Date.parse(at) - Date.now()));
    return () => clearTimeout(timer);
  }, [at]);
  return at !== null && past === at;
};
