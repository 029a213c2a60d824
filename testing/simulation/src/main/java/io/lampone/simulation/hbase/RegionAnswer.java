package io.lampone.simulation.hbase;

import io.lampone.protocol.request.Refusal;

/** Region server's answer to a request. */
public sealed interface RegionAnswer<T> {

  /** It was carried out. */
  record Done<T>(T value) implements RegionAnswer<T> {}

  /** Refusal by our code. */
  record Refusing<T>(Refusal refusal) implements RegionAnswer<T> {}

  /** Refusal by HBase: the region is not here; nothing was done. */
  record NotServing<T>() implements RegionAnswer<T> {}
}
