import Box from '@cloudscape-design/components/box';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { SIGN_INS_PATH } from '../../console-settings.ts';
import { callServer } from '../api/api.ts';
import { useAddressState } from '../parts/address-state.ts';
import { IdLink } from '../parts/app-link.tsx';
import { Outcome } from '../parts/outcome.tsx';
import { ProblemAlert } from '../parts/problem-alert.tsx';

type Finished = {
  /** The view that the sign-in came back to. */
  readonly location: string;
} & ({ readonly credentialId: string } | { readonly error: Error });

/** What came of the sign-in from which this tab came back, above the view. */
export const SignInOutcome = (): ReactNode => {
  const outcome = useOutcome();
  return outcome === null ? null : <Box margin={{ bottom: 's' }}>{outcome}</Box>;
};

/** Finishes the sign-in from which this tab came back, if it did. @returns null if there is nothing to say */
const useOutcome = (): ReactNode => {
  const [id, setId] = useAddressState('signIn');
  const [location] = useLocation();
  const [finished, setFinished] = useState<Finished | null>(null);
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for once for each sign-in
  useEffect(() => {
    if (id === '') return;
    const end = (outcome: Finished) => {
      setFinished(outcome);
      setId('');
      // What is being read may be older than the sign-in: an invalidation alone waits for it, and keeps it.
      void client.cancelQueries().then(() => client.invalidateQueries());
    };
    callServer<{ readonly credentialId: string }>(
      `${SIGN_INS_PATH}/${encodeURIComponent(id)}/finish`,
      {},
    ).then(
      ({ credentialId }) => end({ location, credentialId }),
      (error: Error) => end({ location, error }),
    );
  }, [id]);
  if (id !== '') return <StatusIndicator type="loading">Finishing the sign-in</StatusIndicator>;
  if (finished === null || finished.location !== location) return null;
  const dismiss = () => setFinished(null);
  return 'error' in finished ? (
    <ProblemAlert error={finished.error} onDismiss={dismiss} />
  ) : (
    <Outcome dismissible={true} onDismiss={dismiss}>
      <span className="any-length">
        <IdLink of="credentials" id={finished.credentialId} /> is signed in. All runs use it within a minute.
      </span>
    </Outcome>
  );
};
