package io.lampone.client.hbase.transport;

import io.lampone.client.core.failure.StoreRefusedException;
import io.lampone.client.core.failure.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.jspecify.annotations.Nullable;

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

  /**
   * Returns the end of a call to {@code table}: one of {@code result} and {@code failure} is null.
   */
  public static <T> Attempt<T> of(
      StoreAccess access, String table, @Nullable T result, @Nullable Throwable failure) {
    return failure == null
        ? ended(Objects.requireNonNull(result))
        : failed(access.failed(table, SOME_SERVER, failure));
  }

  /** Returns the result; only if it did not fail. */
  public T value() {
    return result.orElseThrow();
  }

  /** Reads what came back; a failure to do so is the store's. */
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
  public static List<CompletableFuture<Attempt<Result>>> gets(
      StoreAccess access, String name, List<Get> gets, long deadlineNanos) {
    AsyncTable<?> table = access.table(TableName.valueOf(name), deadlineNanos);
    List<CompletableFuture<Result>> sent =
        gets.size() == 1 ? List.of(table.get(gets.get(0))) : table.get(gets);
    List<CompletableFuture<Attempt<Result>>> ends = new ArrayList<>(sent.size());
    for (CompletableFuture<Result> one : sent) {
      ends.add(one.handle((result, failure) -> of(access, name, result, failure)));
    }
    return ends;
  }
}
