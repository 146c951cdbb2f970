import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { withQuery } from './with-query.ts';

/** State that is in the address, so that a link shows the same. */
const useAddress = () => {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const change = useCallback(
    (values: Readonly<Record<string, string>>) => {
      const shown = Object.fromEntries(new URLSearchParams(globalThis.location.search));
      navigate(withQuery(location, { ...shown, ...values }), { replace: true });
    },
    [location, navigate],
  );
  return [useMemo(() => new URLSearchParams(search), [search]), change] as const;
};

/**
 * One parameter of the address.
 *
 * @param name - of the parameter in the query
 * @returns its value, empty if there is none, and a function that changes it; an empty value removes it
 */
export const useAddressState = (name: string): readonly [string, (value: string) => void] => {
  const [parameters, change] = useAddress();
  const changeOne = useCallback((value: string) => change({ [name]: value }), [change, name]);
  return [parameters.get(name) ?? '', changeOne];
};

/**
 * Some parameters of the address.
 *
 * @returns their values, empty where there is none, and a function that changes several; an empty value removes one
 */
export const useAddressStates = <Name extends string>(
  names: readonly Name[],
): readonly [Readonly<Record<Name, string>>, (values: Readonly<Record<string, string>>) => void] => {
  const [parameters, change] = useAddress();
  const values = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? '']));
  return [values as Record<Name, string>, change];
};
