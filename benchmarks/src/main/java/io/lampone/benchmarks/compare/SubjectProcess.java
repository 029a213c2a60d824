package io.lampone.benchmarks.compare;

/** The client of a contender that is not Omid. */
final class SubjectProcess {

  private SubjectProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    SubjectConversation.hold(
        arguments,
        start ->
            start.contender().isLampone()
                ? new LamponeSubject(
                    start.configuration(),
                    start.table(),
                    start.rows(),
                    start.contender() == Contender.FAST_PATH)
                : new NativeSubject(start.configuration(), start.table(), start.rows()));
  }
}
