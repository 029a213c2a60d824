package io.lampone.lab.mutation;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.lampone.cli.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Outcomes of all runs of a campaign, one line of JSON each, appended as they become known. A line
 * that an interrupted run has left incomplete is ignored.
 */
final class OutcomeStore {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path file;
  private final List<LayerOutcome> outcomes = new ArrayList<>();

  /** Reads the file; an absent one is empty. */
  OutcomeStore(Path file) throws IOException {
    this.file = file;
    for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
      try {
        outcomes.add(JSON.readValue(line, LayerOutcome.class));
      } catch (JsonProcessingException ignored) {
        continue;
      }
    }
  }

  /**
   * Appends an outcome.
   *
   * @throws CommandException if the file cannot be written
   */
  void add(LayerOutcome outcome) {
    outcomes.add(outcome);
    try {
      // The line break comes first: behind half a line it begins a new one.
      String line = "\n" + JSON.writeValueAsString(outcome);
      Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw CommandException.cannotWrite(file, e);
    }
  }

  /**
   * Returns the newest outcome that is still valid. The product must be the same; if it found no
   * bug, the tests must be the same too, with at least the same effort.
   *
   * @param wanted the required outcome; its result does not count
   */
  Optional<LayerOutcome> find(LayerOutcome wanted) {
    return newest(
        wanted,
        each ->
            each.product().equals(wanted.product())
                && (each.found()
                    || each.tests().equals(wanted.tests()) && each.effort() >= wanted.effort()));
  }

  /** Returns the newest outcome of the same subject, layer and patch, of any product. */
  Optional<LayerOutcome> findOlder(LayerOutcome wanted) {
    return newest(wanted, each -> true);
  }

  private Optional<LayerOutcome> newest(LayerOutcome wanted, Predicate<LayerOutcome> holds) {
    return outcomes.stream()
        .filter(each -> each.subject().equals(wanted.subject()))
        .filter(each -> each.layer().equals(wanted.layer()))
        .filter(each -> each.patch().equals(wanted.patch()))
        .filter(holds)
        .reduce((older, newer) -> newer);
  }
}
