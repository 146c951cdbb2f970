import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import TextFilter from '@cloudscape-design/components/text-filter';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { Answer } from '../api/routes.ts';
import { useApi, useApiPages } from '../api/use-api.ts';
import { useAddressState, useAddressStates } from '../parts/address-state.ts';
import { IdLink } from '../parts/app-link.tsx';
import { ExecutionStatus } from '../parts/execution-status.tsx';
import { Choice } from '../parts/form-fields.tsx';
import { useIsNarrow } from '../parts/narrow.ts';
import { readOnly } from '../parts/page-settings.ts';
import { ProblemAlert } from '../parts/problem-alert.tsx';
import { type Columns, Rows } from '../parts/rows.tsx';
import { Silences } from '../parts/silences.tsx';
import { Time } from '../parts/time.tsx';

type Listed = Answer<'GET /api/admin/workflows'>['workflows'][number];

/** All workflows, by id, with their filters, which are in the address. */
const Workflows = (): ReactNode => {
  const [filters] = useAddressStates(['text', 'tag', 'enabled', 'trigger']);
  const [, navigate] = useLocation();
  const isNarrow = useIsNarrow();
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const pages = useApiPages('GET /api/admin/workflows', {
    query: { ...filters, limit: 50 },
  });
  const workflows = (pages.data ?? []).flatMap((page) => page.workflows);
  return (
    <SpaceBetween size="m">
      {pages.error !== null && <ProblemAlert error={pages.error} onRetry={pages.refetch} />}
      <Rows
        label="Workflows"
        variant="full-page"
        pages={pages}
        counted="shown"
        header={
          <Header
            variant="h1"
            counter={`(${workflows.length}${pages.hasNextPage ? '+' : ''})`}
            actions={
              <Button {...readOnly} onClick={() => navigate('/new-workflow')}>
                New workflow
              </Button>
            }
          >
            Workflows
          </Header>
        }
        filter={<Filters />}
        items={workflows}
        trackBy="id"
        empty={isFiltered ? 'None matches. Change the filters to see more.' : <NoWorkflows />}
        columns={isNarrow ? narrowColumns : columns}
      />
    </SpaceBetween>
  );
};

const STARTS = [
  { path: '/new-workflow', text: 'From a template' },
  { path: '/new-workflow?start=curl', text: 'From a curl command' },
  { path: '/new-workflow?start=body', text: 'From a JSON body' },
] as const;

const NoWorkflows = (): ReactNode => {
  const [, navigate] = useLocation();
  return (
    <SpaceBetween size="s">
      <div>
        There are no workflows yet. Start one here, or store one with <code>hookloom workflow put FILE</code>.
      </div>
      <SpaceBetween direction="horizontal" size="xs" alignItems="center">
        {STARTS.map(({ path, text }) => (
          <Button key={path} {...readOnly} onClick={() => navigate(path)}>
            {text}
          </Button>
        ))}
      </SpaceBetween>
    </SpaceBetween>
  );
};

const Name = ({ id, name, tags, unknownNodeTypes = [], silences = [] }: Listed): ReactNode => (
  <div className="any-length">
    <span className="few-lines" title={name}>
      <IdLink of="workflows" id={id}>
        {name}
      </IdLink>
    </span>
    <Box variant="small" display="block" color="text-body-secondary">
      {id}
    </Box>
    {tags.length > 0 && <Tags tags={tags} />}
    {unknownNodeTypes.length > 0 && (
      <StatusIndicator type="error">
        It can't run: no plugin provides {unknownNodeTypes.join(', ')}
      </StatusIndicator>
    )}
    <Silences of={silences} />
  </div>
);

const Tags = ({ tags }: { readonly tags: readonly string[] }): ReactNode => {
  const [, setTag] = useAddressState('tag');
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {tags.map((tag) => (
        <Button
          key={tag}
          variant="inline-link"
          ariaLabel={`Show only workflows tagged ${tag}`}
          onClick={() => setTag(tag)}
        >
          #{tag}
        </Button>
      ))}
    </SpaceBetween>
  );
};

const State = ({ enabled }: Listed): ReactNode => (
  <StatusIndicator type={enabled ? 'success' : 'stopped'}>{enabled ? 'Enabled' : 'Disabled'}</StatusIndicator>
);

const Last = ({ lastExecution }: Listed): ReactNode =>
  lastExecution === null ? (
    <Box color="text-status-inactive">None on record</Box>
  ) : (
    <>
      <ExecutionStatus status={lastExecution.status} />
      <Box variant="small" display="block">
        <IdLink of="executions" id={lastExecution.executionId} fontSize="body-s">
          <Time at={lastExecution.startedAt} />
        </IdLink>
      </Box>
    </>
  );

const describeTriggers = ({ triggers }: Listed): string =>
  triggers.length === 0 ? 'None' : [...new Set(triggers.map(({ type }) => type))].join(', ');

const columns: Columns<Listed> = [
  { header: 'Workflow', isRowHeader: true, cell: Name },
  { header: 'State', width: 130, cell: State },
  { header: 'Triggers', width: 190, cell: describeTriggers },
  { header: 'Last execution', width: 230, cell: Last },
];

const narrowColumns: Columns<Listed> = [
  {
    header: 'Workflow',
    isRowHeader: true,
    cell: (listed) => (
      <>
        <Name {...listed} />
        <State {...listed} />
        <Box variant="small" display="block" color="text-body-secondary">
          {describeTriggers(listed)}
        </Box>
        <Last {...listed} />
      </>
    ),
  },
];

const STATES = [
  { value: '', label: 'Enabled and disabled' },
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
] as const;

/** Each change of a filter reads definitions. In milliseconds. */
const TYPING_PAUSE = 300;

/** What is typed, which gets into the address once one pauses. */
const useTyped = (name: string): readonly [string, (value: string) => void] => {
  const [value, setValue] = useAddressState(name);
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => setValue(typed), TYPING_PAUSE);
    return () => clearTimeout(timer);
  }, [typed, value, setValue]);
  return [typed, setTyped];
};

const Filters = (): ReactNode => {
  const [text, setText] = useTyped('text');
  const [tag, setTag] = useTyped('tag');
  const [enabled, setEnabled] = useAddressState('enabled');
  const [trigger, setTrigger] = useAddressState('trigger');
  const types = useApi('GET /api/admin/node-types', { query: { kind: 'trigger', limit: 200 } }).data
    ?.nodeTypes;
  const names = new Set([
    ...(types ?? []).map(({ nodeType }) => nodeType),
    ...(trigger === '' ? [] : [trigger]),
  ]);
  return (
    <SpaceBetween size="xs">
      <div className="filters">
        <div className="filter-text">
          <TextFilter
            filteringText={text}
            filteringAriaLabel="Find workflows"
            filteringPlaceholder="Find by name or id"
            onChange={({ detail }) => setText(detail.filteringText)}
          />
        </div>
        <Input
          ariaLabel="Tag"
          placeholder="Tag"
          type="search"
          clearAriaLabel="Clear the tag"
          value={tag}
          onChange={({ detail }) => setTag(detail.value)}
        />
        <Choice
          ariaLabel="State"
          options={STATES}
          value={enabled}
          otherwise={STATES[0]}
          onChange={setEnabled}
        />
        <Choice
          ariaLabel="Trigger"
          options={[{ value: '', label: 'All triggers' }, ...[...names].sort()]}
          value={trigger}
          onChange={setTrigger}
        />
      </div>
    </SpaceBetween>
  );
};

export default Workflows;
