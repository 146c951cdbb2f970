import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../../api/api.ts';
import type { Answer, RouteKey } from '../../api/routes.ts';
import type { Change } from '../../api/use-api.ts';

type Progress = Pick<Change<unknown>, 'isPending' | 'error'>;

/**
 * As `useChange`, but keeps neither what is sent nor what is answered: a cache would have them for minutes after the
 * dialog was closed.
 */
export const useSecretChange = <Key extends RouteKey>(key: Key): Change<Answer<Key>> => {
  const client = useQueryClient();
  const [progress, setProgress] = useState<Progress>({ isPending: false, error: null });
  return {
    ...progress,
    mutate: (call, { onSuccess }) => {
      setProgress({ isPending: true, error: null });
      callApi(key, call)
        .then(
          (answer) => {
            setProgress({ isPending: false, error: null });
            onSuccess(answer);
          },
          (error: Error) => setProgress({ isPending: false, error }),
        )
        .finally(() => void client.invalidateQueries());
    },
  };
};
