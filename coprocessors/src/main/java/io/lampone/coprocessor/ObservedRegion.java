package io.lampone.coprocessor;

import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.PlainClientSupport;

/**
 * State of a region from its opening to its closing, shared by all observers.
 *
 * @param plainClients what they have under way there
 */
public record ObservedRegion(
    OpenRegion open,
    CoprocessorChain chain,
    PlainClientSupport plainClients,
    ScannerBook scanners) {

  /**
   * @param checksUsers whether HBase looks at who asks
   */
  public static ObservedRegion of(OpenRegion open, boolean checksUsers) {
    CoprocessorChain chain = new CoprocessorChain(open);
    return new ObservedRegion(
        open, chain, new PlainClientSupport(open, chain), new ScannerBook(checksUsers));
  }
}
