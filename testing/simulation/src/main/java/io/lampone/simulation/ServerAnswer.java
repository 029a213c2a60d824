package io.lampone.simulation;

import io.lampone.protocol.Refusal;

/** What a region server says to a request. */
sealed interface ServerAnswer<T> {

  /** It was carried out. */
  record Done<T>(T value) implements ServerAnswer<T> {}

  /** Our code said no. */
  record Refusing<T>(Refusal refusal) implements ServerAnswer<T> {}

  /** HBase said no: the region is not here; nothing was done. */
  record NotServing<T>() implements ServerAnswer<T> {}
}
