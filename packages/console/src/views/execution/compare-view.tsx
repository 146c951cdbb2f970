import Alert from '@cloudscape-design/components/alert';
import Autosuggest from '@cloudscape-design/components/autosuggest';
import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Toggle from '@cloudscape-design/components/toggle';
import { type ReactNode, useState } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../api/routes.ts';
import { useApi } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { formatDuration } from '../../parts/duration.ts';
import { ExecutionStatus } from '../../parts/execution-status.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Panel } from '../../parts/panel.tsx';
import { formatTime, Time } from '../../parts/time.tsx';
import { Changes } from './changes.tsx';
import { type Execution, runKey } from './node-runs.ts';
import './execution.css';

type Comparison = Answer<'GET /api/admin/executions/{executionId}/comparison'>;
type ComparedNode = Comparison['nodes'][number];
type Side = NonNullable<ComparedNode['from']>;

const PAGE = 50;

/** What an execution did differently from another one of its workflow. */
const CompareView = (): ReactNode => {
  const { executionId = '' } = useParams();
  const [{ with: other, show }, change] = useAddressStates(['with', 'show']);
  const execution = useApi('GET /api/admin/executions/{executionId}', { params: { executionId } });
  const comparison = useApi('GET /api/admin/executions/{executionId}/comparison', {
    params: { executionId },
    query: { with: other },
  });
  return (
    <Page
      title="Compare executions"
      actions={
        <IdLink of="executions" id={executionId}>
          Back to the execution
        </IdLink>
      }
    >
      {execution.data !== undefined && (
        <CompareChoice
          key={other}
          execution={execution.data}
          other={other}
          onChoose={(id) => change({ with: id })}
        />
      )}
      <Loaded query={comparison}>
        {(data) => (
          <Compared
            comparison={data}
            showsAll={show === 'all'}
            onShowAll={(isAll) => change({ show: isAll ? 'all' : '' })}
          />
        )}
      </Loaded>
    </Page>
  );
};

interface CompareChoiceProps {
  readonly execution: Pick<Execution, 'executionId' | 'workflowId' | 'retryOf' | 'retriedBy'>;
  /** The execution that it is compared with; empty for the last success. */
  readonly other: string;
  readonly onChoose: (executionId: string) => void;
}

/** With which execution of the workflow one is compared: related and recent ones are offered, any id can be written. */
const CompareChoice = ({ execution, other, onChoose }: CompareChoiceProps): ReactNode => {
  const { executionId, workflowId, retryOf, retriedBy } = execution;
  const [text, setText] = useState(other);
  const { data } = useApi('GET /api/admin/executions', { query: { workflowId, limit: 25 } });
  const related = [
    ...(retryOf === null ? [] : [{ value: retryOf.executionId, description: 'The one that it retries' }]),
    ...(retriedBy === null ? [] : [{ value: retriedBy, description: 'Its retry' }]),
  ];
  const recent = (data?.executions ?? [])
    .filter((one) => one.executionId !== executionId && one.executionId !== retryOf?.executionId)
    .filter((one) => one.executionId !== retriedBy)
    .map(({ executionId: value, startedAt, status }) => ({
      value,
      description: `${status}, ${formatTime(startedAt)}`,
    }));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(text.trim());
      }}
    >
      <FormField
        label="Compare with"
        description="Another execution of the workflow; empty for its last success"
        secondaryControl={<Button formAction="submit">Compare</Button>}
      >
        <Autosuggest
          value={text}
          placeholder="The last success"
          options={[...related, ...recent]}
          enteredTextLabel={(value) => `The execution ${value}`}
          clearAriaLabel="Clear"
          empty="The workflow has no other execution."
          onChange={({ detail }) => setText(detail.value)}
          onSelect={({ detail }) => onChoose(detail.value)}
        />
      </FormField>
    </form>
  );
};

interface ComparedProps {
  readonly comparison: Comparison;
  readonly showsAll: boolean;
  readonly onShowAll: (isAll: boolean) => void;
}

const Compared = ({ comparison, showsAll, onShowAll }: ComparedProps): ReactNode => {
  const { from, to, counts, nodes, nodesOmitted } = comparison;
  const [shown, setShown] = useState(PAGE);
  const chosen = showsAll ? nodes : nodes.filter(({ differs }) => differs.length > 0);
  return (
    <SpaceBetween size="l">
      <div className="compare-heads">
        <Compare title="This execution" side={to} />
        <Compare title="Compared with" side={from} />
      </div>
      {(!from.hasData || !to.hasData) && (
        <Alert type="info">
          {describeMissing(from, to)} no data of nodes, so data is not compared. The setting{' '}
          <code>recordData</code> of a workflow says for which executions it is kept.
        </Alert>
      )}
      <Panel
        title="Node runs"
        counter={`(${counts.different.toLocaleString()} different, ${counts.same.toLocaleString()} the same)`}
        actions={
          <Toggle checked={!showsAll} onChange={({ detail }) => onShowAll(!detail.checked)}>
            Only differences
          </Toggle>
        }
      >
        {chosen.length === 0 ? (
          <Box color="text-body-secondary">
            {nodes.length === 0 ? 'Neither has node runs.' : 'Every node did the same.'}
          </Box>
        ) : (
          <ul className="compare-nodes" aria-label="Node runs">
            {chosen.slice(0, shown).map((node) => (
              <ComparedRun key={runKey(node)} node={node} executionId={to.executionId} />
            ))}
          </ul>
        )}
        {chosen.length > shown && (
          <Button onClick={() => setShown(shown + PAGE)}>
            Show {Math.min(PAGE, chosen.length - shown)} of {chosen.length - shown} more
          </Button>
        )}
        {nodesOmitted > 0 && (
          <Box variant="small">{nodesOmitted.toLocaleString()} more node runs are not listed.</Box>
        )}
      </Panel>
    </SpaceBetween>
  );
};

const describeMissing = (from: { readonly hasData: boolean }, to: { readonly hasData: boolean }): string => {
  if (from.hasData) return 'The record of this execution has';
  return to.hasData ? 'The record of the other execution has' : 'The records of both have';
};

const Compare = ({
  title,
  side,
}: {
  readonly title: string;
  readonly side: Comparison['from'];
}): ReactNode => (
  <Panel title={title}>
    <Facts
      columns={2}
      minColumnWidth={150}
      ariaLabel={title}
      facts={{
        Status: <ExecutionStatus status={side.status} held={side.held} />,
        Version: side.workflowVersion,
        Started: <Time at={side.startedAt} />,
        Took: side.durationMs === null ? 'It is open' : formatDuration(side.durationMs),
        Execution: (
          <span className="execution-long">
            <IdLink of="executions" id={side.executionId} />
          </span>
        ),
      }}
    />
  </Panel>
);

const DIFFERENCES: Readonly<Record<ComparedNode['differs'][number], string>> = {
  missing: 'Only in one',
  status: 'Other status',
  branch: 'Other branch',
  data: 'Other data',
  failure: 'Other failure',
  slower: 'Slower',
};

interface ComparedRunProps {
  readonly node: ComparedNode;
  readonly executionId: string;
}

const ComparedRun = ({ node, executionId }: ComparedRunProps): ReactNode => {
  const { nodeId, within, iteration, type, differs, from, to, changes = [], changesOmitted = 0 } = node;
  const query = new URLSearchParams({
    node: nodeId,
    ...(within === undefined ? {} : { within }),
    iteration: String(iteration),
  });
  const name = `${within === undefined ? '' : `${within}/`}${nodeId}`;
  return (
    <li>
      <div className="compare-name">
        <span className="execution-long">
          {to === null ? (
            name
          ) : (
            <AppLink to={`/executions/${encodeURIComponent(executionId)}?${query}`}>{name}</AppLink>
          )}
        </span>
        <Box variant="small">
          {type}
          {iteration > 0 && `, iteration ${iteration}`}
        </Box>
        {differs.length === 0 && <Badge color="green">The same</Badge>}
        {differs.map((one) => (
          <Badge key={one} color={one === 'failure' || one === 'missing' ? 'red' : 'blue'}>
            {DIFFERENCES[one]}
          </Badge>
        ))}
      </div>
      {differs.length > 0 && (
        <dl className="compare-sides">
          <dt>Was</dt>
          <dd>{describeSide(from)}</dd>
          <dt>Is</dt>
          <dd>{describeSide(to)}</dd>
        </dl>
      )}
      {changes.length > 0 && <Changes changes={changes} omitted={changesOmitted} />}
    </li>
  );
};

const describeSide = (side: Side | null | undefined): ReactNode => {
  if (side === null || side === undefined) return 'It did not run.';
  const { status, durationMs, outputs = [], why, failure } = side;
  const ran = status === 'succeeded' || status === 'failed';
  return (
    <>
      <ExecutionStatus status={status} />
      {ran && ` after ${formatDuration(durationMs)}`}
      {outputs.length > 0 && `, on ${outputs.map((output) => `"${output}"`).join(', ')}`}
      {why !== undefined && <div>{why}</div>}
      {failure !== undefined && (
        <div>
          {failure.name}: {failure.message}
        </div>
      )}
    </>
  );
};

export default CompareView;
