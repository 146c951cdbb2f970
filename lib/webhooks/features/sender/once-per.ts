/**
 * State of a feature that outlives the versions of workflows: one for each set of ports, so for each sandbox.
 *
 * @param create - called for the first use of the ports
 */
export const oncePer = <Ports extends object, State>(create: (ports: Ports) => State) => {
  const states = new WeakMap<Ports, State>();
  return (ports: Ports): State => {
    const known = states.get(ports);
    if (known !== undefined) return known;
    const state = create(ports);
    states.set(ports, state);
    return state;
  };
};
