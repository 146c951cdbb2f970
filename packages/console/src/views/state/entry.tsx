import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import { isOutdated } from '../../api/api.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useAddressStates } from '../../parts/address-state.ts';
import { AppLink, IdLink } from '../../parts/app-link.tsx';
import { Facts } from '../../parts/facts.tsx';
import { ChangeDialog } from '../../parts/form-dialog.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { HeadedPage } from '../../parts/page.tsx';
import { readOnly, readOnlyReason } from '../../parts/page-settings.ts';
import { Panel } from '../../parts/panel.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuestion } from '../../parts/use-question.tsx';
import { withQuery } from '../../parts/with-query.ts';
import { ChangeEntry } from './change-entry.tsx';
import { type Entry, type Scope, whyNotEdited } from './entry-form.ts';
import { Written } from './written.tsx';

type Question = 'change' | 'delete';

/** One entry of state, which can be changed and deleted. */
const EntryView = (): ReactNode => {
  const [{ key, ...scope }] = useAddressStates(['workflowId', 'store', 'key']);
  const { question, ask, close, finish, isFinished: isDeleted, outcome } = useQuestion<Question>();
  const query = useApi(
    'GET /api/admin/state/entry',
    { query: { ...scope, key } },
    { isOn: key !== '' && !isDeleted },
  );
  if (key === '' || isDeleted)
    return (
      <SpaceBetween size="m">
        <Header variant="h1">
          <span className="any-length">{key === '' ? 'Entry of state' : key}</span>
        </Header>
        {outcome}
        <AppLink to={withQuery('/state', scope)}>
          {key === '' ? 'Choose an entry' : 'Show all entries'}
        </AppLink>
      </SpaceBetween>
    );
  return (
    <SpaceBetween size="m">
      {outcome}
      <Loaded query={query} heading={`Entry ${key}`}>
        {(entry) => (
          <>
            <Shown scope={scope} entry={entry} onAsk={ask} />
            {question === 'change' && (
              <ChangeEntry
                scope={scope}
                entry={entry}
                onClose={close}
                onDone={({ version }) => finish(`The entry is changed: version ${version}.`)}
              />
            )}
            {question === 'delete' && (
              <DeleteEntry
                scope={scope}
                entry={entry}
                onClose={close}
                onDone={() => finish('The entry is deleted.', true)}
              />
            )}
          </>
        )}
      </Loaded>
    </SpaceBetween>
  );
};

interface ShownProps {
  readonly scope: Scope;
  readonly entry: Entry;
  readonly onAsk: (question: Question) => void;
}

const Shown = ({ scope, entry, onAsk }: ShownProps): ReactNode => {
  const { key, value, version, expiresAt, claim } = entry;
  const whyNot = readOnlyReason ?? whyNotEdited(value);
  return (
    <HeadedPage
      title={<span className="any-length">{key}</span>}
      description={
        <span className="any-length">
          <AppLink to={withQuery('/state', { ...scope })} fontSize="inherit">
            State of {scope.store === '' ? scope.workflowId : `the store ${scope.store}`}
          </AppLink>
        </span>
      }
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          {claim === null && (
            <Button disabled={whyNot !== null} disabledReason={whyNot ?? ''} onClick={() => onAsk('change')}>
              Change
            </Button>
          )}
          <Button {...readOnly} onClick={() => onAsk('delete')}>
            Delete
          </Button>
        </SpaceBetween>
      }
    >
      <Panel title="Overview">
        <div className="any-length">
          <Facts
            columns={3}
            facts={{
              Version: version,
              Written: <Written entry={entry} />,
              Expires: expiresAt === null ? 'Never' : <Time at={expiresAt} />,
            }}
          />
        </div>
      </Panel>
      {claim === null ? (
        <Panel title="Value">
          <JsonView label={`Value of ${key}`} value={value} />
        </Panel>
      ) : (
        <Panel title="Claim">
          <Claim claim={claim} />
        </Panel>
      )}
    </HeadedPage>
  );
};

/** What a claim means for other executions. */
const Claim = ({ claim: { executionId, confirmBy } }: { readonly claim: NonNullable<Entry['claim']> }) => (
  <Box variant="p">
    <span className="any-length">
      The execution <IdLink of="executions" id={executionId} /> gave this key first, to once or newItems.{' '}
    </span>
    {confirmBy === null ? (
      'No other execution gets it, unless you delete the entry.'
    ) : (
      <>
        Another one gets it if it is not marked as seen until <Time at={confirmBy} />, or if you delete the
        entry.
      </>
    )}
  </Box>
);

interface DeleteEntryProps extends Pick<ShownProps, 'scope' | 'entry'> {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Asks before an entry is deleted, in the version that the reader has seen. */
const DeleteEntry = ({ scope, entry, onClose, onDone }: DeleteEntryProps): ReactNode => {
  const { key, claim } = entry;
  const [seen] = useState(entry.version);
  const change = useChange('DELETE /api/admin/state/entry');
  const isConflict = isOutdated(change.error);
  return (
    <ChangeDialog
      title="Delete this entry?"
      action="Delete"
      change={change}
      error={isConflict ? null : change.error}
      call={{ query: { ...scope, key }, headers: { 'if-match': `"${seen}"` } }}
      onClose={onClose}
      onDone={onDone}
    >
      <Box variant="p">
        <span className="any-length">{key}</span>
      </Box>
      <Box variant="p">
        {claim === null
          ? 'Its value is not kept.'
          : 'The key is free again: the next execution that gives it is the first.'}
      </Box>
      {isConflict && (
        <div role="alert">
          <Alert type="warning" header="Nothing was deleted">
            The entry was changed or deleted meanwhile. Close this to see what is stored now.
          </Alert>
        </div>
      )}
    </ChangeDialog>
  );
};

export default EntryView;
