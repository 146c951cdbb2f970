/**
 * Feature state that outlives workflow versions: one per set of ports, and so per sandbox.
 *
 * @param create - called on first use of the ports
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
