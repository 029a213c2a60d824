package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import io.lampone.client.core.step.Step;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;

/**
 * End of one call of a batch.
 *
 * @param result the result; empty if it failed
 * @param failure a {@link StoreRefusedException} or a {@link StoreUnavailableException}
 */
public record Attempt<T>(Optional<T> result, Optional<RuntimeException> failure) {

  private static final String SOME_SERVER = "unknown";

  static <T> Attempt<T> ended(T value) {
    return new Attempt<>(Optional.of(value), Optional.empty());
  }

  static <T> Attempt<T> failed(RuntimeException failure) {
    return new Attempt<>(Optional.empty(), Optional.of(failure));
  }

  /** Returns the end of a call to {@code table}. */
  public static <T> Attempt<T> of(StoreAccess access, String table, Step.Ended<T> end) {
    Throwable failure = end.failure();
    return failure == null
        ? ended(end.value())
        : failed(access.failed(table, SOME_SERVER, failure));
  }

  /** Returns the result; only if it did not fail. */
  public T value() {
    return result.orElseThrow();
  }

  /** Converts the result; a failure of the conversion is the store's. */
  public <U> Attempt<U> then(String table, Function<T, U> reading) {
    if (failure.isPresent()) {
      return failed(failure.get());
    }
    try {
      return ended(reading.apply(value()));
    } catch (RuntimeException e) {
      return failed(StoreFailures.toStoreFailure(table, SOME_SERVER, e));
    }
  }

  /** Sends gets: several in one batch, which is one call for each server. */
  public static Step<List<Attempt<Result>>> gets(
      StoreAccess access, String name, List<Get> gets, long deadlineNanos) {
    TableName table = TableName.valueOf(name);
    Step<List<Step.Ended<Result>>> sent =
        gets.size() == 1
            ? Step.together(List.of(access.transport().get(table, gets.get(0), deadlineNanos)))
            : access.transport().gets(table, gets, deadlineNanos);
    return sent.map(ends -> ends.stream().map(end -> of(access, name, end)).toList());
  }
}
