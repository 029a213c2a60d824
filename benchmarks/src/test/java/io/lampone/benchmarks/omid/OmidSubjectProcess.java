package io.lampone.benchmarks.omid;

import io.lampone.benchmarks.compare.SystemClientProtocol;

/** Omid's client. */
public final class OmidSubjectProcess {

  private OmidSubjectProcess() {}

  /** Runs until the parent has ended the conversation. */
  public static void main(String[] arguments) throws Exception {
    SystemClientProtocol.hold(arguments, OmidSubject::new);
  }
}
