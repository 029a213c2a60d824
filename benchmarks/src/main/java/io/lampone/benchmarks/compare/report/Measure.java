package io.lampone.benchmarks.compare.report;

import io.lampone.benchmarks.compare.SliceFigures;
import io.lampone.benchmarks.compare.SliceResult;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;

/** Quantity that is compared, for each committed transaction unless stated otherwise. */
enum Measure implements Quantity {
  ROUND_TRIPS("roundTrips", "requests a transaction", true),
  BYTES("bytes", "bytes on the wire a transaction", true),
  CPU("cpu", "CPU us a transaction, all processes", true),
  LATENCY("latency", "mean latency us", true),
  LATENCY_MEDIAN("latencyP50", "median latency us", true),
  THROUGHPUT("throughput", "transactions/s", false);

  private static final double MEDIAN = 50;

  private final String key;
  private final String title;
  private final boolean lessIsBetter;

  Measure(String key, String title, boolean lessIsBetter) {
    this.key = key;
    this.title = title;
    this.lessIsBetter = lessIsBetter;
  }

  @Override
  public String key() {
    return key;
  }

  String title() {
    return title;
  }

  boolean lessIsBetter() {
    return lessIsBetter;
  }

  @Override
  public OptionalDouble of(SliceFigures slice) {
    SliceResult client = slice.client();
    if (client.committed() == 0) {
      return OptionalDouble.empty();
    }
    double transactions = client.committed();
    return switch (this) {
      case ROUND_TRIPS ->
          OptionalDouble.of((slice.storeRequests() + client.managerRequests()) / transactions);
      case BYTES ->
          slice.bytes().isEmpty()
              ? OptionalDouble.empty()
              : OptionalDouble.of(slice.bytes().getAsLong() / transactions);
      case CPU ->
          OptionalDouble.of(slice.cpu().nanos() / transactions / TimeUnit.MICROSECONDS.toNanos(1));
      case LATENCY -> OptionalDouble.of(client.latencies().meanMicros());
      case LATENCY_MEDIAN -> OptionalDouble.of(client.latencies().percentileMicros(MEDIAN));
      case THROUGHPUT ->
          OptionalDouble.of(transactions * TimeUnit.SECONDS.toNanos(1) / client.nanos());
    };
  }
}
