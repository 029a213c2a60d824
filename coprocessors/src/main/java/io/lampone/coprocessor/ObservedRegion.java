package io.lampone.coprocessor;

import io.lampone.coprocessor.server.CoprocessorChain;
import io.lampone.coprocessor.write.PlainClientSupport;

/**
 * State of a region from its opening to its closing, shared by all observers.
 *
 * @param plainClients operations of plain clients in progress there
 */
public record ObservedRegion(
    OpenRegion open,
    CoprocessorChain chain,
    PlainClientSupport plainClients,
    ScannerBook scanners) {

  /**
   * @param checksUsers whether HBase checks users
   */
  public static ObservedRegion of(OpenRegion open, boolean checksUsers) {
    CoprocessorChain chain = new CoprocessorChain(open);
    return new ObservedRegion(
        open, chain, new PlainClientSupport(open, chain), new ScannerBook(checksUsers));
  }
}
