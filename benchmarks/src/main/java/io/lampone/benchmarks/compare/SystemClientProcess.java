package io.lampone.benchmarks.compare;

/** Client of a contender other than Omid. */
final class SystemClientProcess {

  private SystemClientProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    SystemClientProtocol.hold(
        arguments,
        start ->
            start.contender().isLampone()
                ? new LamponeSystemClient(
                    start.configuration(),
                    start.table(),
                    start.rows(),
                    start.contender() == SystemUnderTest.FAST_PATH)
                : new NativeSystemClient(start.configuration(), start.table(), start.rows()));
  }
}
