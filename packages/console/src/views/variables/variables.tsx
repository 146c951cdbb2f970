import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ReactNode } from 'react';
import { useApi, useChange } from '../../api/use-api.ts';
import { useAddressState } from '../../parts/address-state.ts';
import { Expires } from '../../parts/expiry.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { readOnly } from '../../parts/page-settings.ts';
import { RemoveDialog } from '../../parts/remove-dialog.tsx';
import { Rows } from '../../parts/rows.tsx';
import { Time } from '../../parts/time.tsx';
import { useQuestion } from '../../parts/use-question.tsx';
import { SetVariable } from './set-variable.tsx';
import { textOfVariable, type Variable } from './variable-form.ts';

/** What is asked: the fields of a variable, or whether to remove one. */
type Question = { readonly kind: 'set'; readonly variable: Variable | null } | Removal;
interface Removal {
  readonly kind: 'remove';
  readonly variable: Variable;
}

/** The variables of the stage: at most 200, all in one answer. */
const Variables = (): ReactNode => {
  const [text, setText] = useAddressState('text');
  const { question, ask, close, finish, outcome } = useQuestion<Question>();
  const query = useApi('GET /api/admin/variables');
  return (
    <SpaceBetween size="m">
      {outcome}
      <Loaded query={query} heading="Variables">
        {({ variables }) => <VariableTable variables={variables} text={text} onText={setText} onAsk={ask} />}
      </Loaded>
      {question?.kind === 'set' && (
        <SetVariable variable={question.variable} onClose={close} onDone={finish} />
      )}
      {question?.kind === 'remove' && <RemoveVariable {...question} onClose={close} onDone={finish} />}
    </SpaceBetween>
  );
};

interface VariableTableProps {
  readonly variables: readonly Variable[];
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onAsk: (question: Question) => void;
}

const VariableTable = ({ variables, text, onText, onAsk }: VariableTableProps): ReactNode => {
  const wanted = text.toLowerCase();
  const items = variables.filter((variable) =>
    [variable.name, variable.description ?? '', textOfVariable(variable)].some((part) =>
      part.toLowerCase().includes(wanted),
    ),
  );
  const create = (
    <Button {...readOnly} onClick={() => onAsk({ kind: 'set', variable: null })}>
      Create a variable
    </Button>
  );
  return (
    <Rows<Variable>
      label="Variables"
      counted="page"
      variant="full-page"
      enableKeyboardNavigation={true}
      items={items}
      trackBy="name"
      header={
        <Header
          variant="h1"
          counter={`(${items.length === variables.length ? '' : `${items.length}/`}${variables.length})`}
          description="Values of this stage, which workflows read as $vars. A change is read from their next start on."
          actions={create}
        >
          Variables
        </Header>
      }
      filter={
        <TextFilter
          filteringText={text}
          filteringAriaLabel="Find variables"
          filteringPlaceholder="Find by name, value or description"
          onChange={({ detail }) => onText(detail.filteringText)}
        />
      }
      empty={
        variables.length > 0
          ? 'No variable matches. Change the text to see more.'
          : 'There are no variables. Create one for what differs between stages, such as an address.'
      }
      columns={[
        {
          id: 'name',
          header: 'Name',
          isRowHeader: true,
          minWidth: 140,
          cell: ({ name, description }) => (
            <div className="any-length">
              <Box variant="code">{name}</Box>
              {description !== null && (
                <Box variant="small" display="block" color="text-body-secondary">
                  {description}
                </Box>
              )}
            </div>
          ),
        },
        { id: 'type', header: 'Type', minWidth: 90, cell: ({ type }) => type },
        {
          id: 'value',
          header: 'Value',
          minWidth: 200,
          cell: (variable) => <Value text={textOfVariable(variable)} />,
        },
        {
          id: 'expires',
          header: 'Expires',
          minWidth: 150,
          cell: ({ expiresAt }) => <Expires at={expiresAt} />,
        },
        {
          id: 'changed',
          header: 'Changed',
          minWidth: 190,
          cell: ({ changedAt, changedBy }) => (
            <>
              <Time at={changedAt} />
              {changedBy !== null && (
                <Box variant="small" display="block" color="text-body-secondary">
                  <span className="any-length">{changedBy}</span>
                </Box>
              )}
            </>
          ),
        },
        {
          id: 'actions',
          header: 'Actions',
          minWidth: 160,
          cell: (variable) => (
            <SpaceBetween direction="horizontal" size="xs">
              <Button
                {...readOnly}
                variant="inline-link"
                ariaLabel={`Change ${variable.name}`}
                onClick={() => onAsk({ kind: 'set', variable })}
              >
                Change
              </Button>
              <Button
                {...readOnly}
                variant="inline-link"
                ariaLabel={`Remove ${variable.name}`}
                onClick={() => onAsk({ kind: 'remove', variable })}
              >
                Remove
              </Button>
            </SpaceBetween>
          ),
        },
      ]}
    />
  );
};

/** Longer values are folded. In characters. */
const FOLDED = 200;

const Value = ({ text }: { readonly text: string }): ReactNode => (
  <div className="variable-value any-text">
    {text.length <= FOLDED ? (
      text
    ) : (
      <details>
        <summary>{text.slice(0, FOLDED)}…</summary>
        {text}
      </details>
    )}
  </div>
);

interface RemoveVariableProps extends Removal {
  readonly onClose: () => void;
  readonly onDone: (message: string) => void;
}

const RemoveVariable = ({
  variable: { name, revision },
  onClose,
  onDone,
}: RemoveVariableProps): ReactNode => {
  const change = useChange('DELETE /api/admin/variables/{name}');
  return (
    <RemoveDialog
      title={`Remove ${name}?`}
      change={change}
      call={{ params: { name }, headers: { 'if-match': `"${revision}"` } }}
      onRemoved={() => onDone(`${name} is removed.`)}
      onClose={onClose}
    >
      Expressions that read it would have no result. Its value is not kept.
    </RemoveDialog>
  );
};

export default Variables;
