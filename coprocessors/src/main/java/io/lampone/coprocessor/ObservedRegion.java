package io.lampone.coprocessor;

/**
 * What is known of a region from its opening to its closing, whichever observer is asked.
 *
 * @param plainClients what they have under way there
 */
record ObservedRegion(OpenRegion open, PlainClients plainClients) {

  static ObservedRegion of(OpenRegion open) {
    return new ObservedRegion(open, new PlainClients(open));
  }
}
