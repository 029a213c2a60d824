package io.lampone.coprocessor;

/**
 * What is known of a region from its opening to its closing, whichever observer is asked.
 *
 * @param plainClients what they have under way there
 */
record ObservedRegion(
    OpenRegion open, CoprocessorChain chain, PlainClients plainClients, ScannerBook scanners) {

  /**
   * @param checksUsers whether HBase looks at who asks
   */
  static ObservedRegion of(OpenRegion open, boolean checksUsers) {
    CoprocessorChain chain = new CoprocessorChain(open);
    return new ObservedRegion(
        open, chain, new PlainClients(open, chain), new ScannerBook(checksUsers));
  }
}
