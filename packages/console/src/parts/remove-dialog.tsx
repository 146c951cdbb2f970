import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import type { ReactNode } from 'react';
import { type Call, Problem } from '../api/api.ts';
import type { Change } from '../api/use-api.ts';
import { ChangeDialog } from './form-dialog.tsx';

interface RemoveDialogProps<Removed> {
  readonly title: string;
  readonly change: Change<Removed>;
  /** Without `force`, which is added after a second question. */
  readonly call: Call;
  readonly onRemoved: (removed: Removed) => void;
  readonly onClose: () => void;
  /** What is lost. */
  readonly children: ReactNode;
}

/** Asks before something is removed; once more, with the names of its users, if it is still used. */
export const RemoveDialog = <Removed,>(props: RemoveDialogProps<Removed>): ReactNode => {
  const { title, change, call, onRemoved, onClose, children } = props;
  const users = readUsers(change.error);
  const isForced = users !== null;
  return (
    <ChangeDialog
      title={title}
      action={isForced ? 'Remove although it is used' : 'Remove'}
      change={change}
      error={isForced ? null : change.error}
      call={isForced ? { ...call, query: { ...call.query, force: 'true' } } : call}
      onDone={onRemoved}
      onClose={onClose}
    >
      {children}
      {isForced && (
        <div role="alert">
          <Alert type="warning" header="It is in use and was not removed">
            These would fail without it:
            <ul className="users any-text">
              {users.map((user) => (
                <li key={user}>{user}</li>
              ))}
            </ul>
            <Box>Remove it only if you know why they may fail.</Box>
          </Alert>
        </div>
      )}
    </ChangeDialog>
  );
};

/** The users that a refusal names; null for any other answer. */
const readUsers = (error: Error | null): readonly string[] | null => {
  if (!(error instanceof Problem) || error.status !== 409) return null;
  const { users } = error.members;
  return Array.isArray(users) ? users.map(String) : null;
};
