import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Call, callApi } from '../../api/api.ts';
import type { Answer, RouteKey } from '../../api/routes.ts';

/** A change with a secret in what is sent or answered. */
export interface SecretChange<Key extends RouteKey> {
  readonly isBusy: boolean;
  readonly error: Error | null;
  send(call: Call, onDone: (answer: Answer<Key>) => void): void;
}

/**
 * As `useChange`, but keeps neither what is sent nor what is answered: a cache would have them for minutes after the
 * dialog was closed.
 */
export const useSecretChange = <Key extends RouteKey>(key: Key): SecretChange<Key> => {
  const client = useQueryClient();
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error: Error | null }>({
    isBusy: false,
    error: null,
  });
  return {
    ...state,
    send: (call, onDone) => {
      setState({ isBusy: true, error: null });
      callApi(key, call)
        .then(
          (answer) => {
            setState({ isBusy: false, error: null });
            onDone(answer);
          },
          (error: Error) => setState({ isBusy: false, error }),
        )
        .finally(() => void client.invalidateQueries());
    },
  };
};
