package io.lampone.lab;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lampone.cli.CommandException;
import io.lampone.simulation.SeedCampaign;
import io.lampone.simulation.SeedReport;
import io.lampone.simulation.Simulation;
import io.lampone.simulation.world.Violation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of the seeds so far, which let the same command resume after an interruption. Of a failed
 * seed only its number is kept: it is run again.
 */
final class CampaignFile {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path path;
  private final long first;
  private final boolean validators;

  /**
   * Names a file.
   *
   * @param first seed of the campaign
   * @param validators true if it runs only seeds with validators
   */
  CampaignFile(Path path, long first, boolean validators) {
    this.path = path;
    this.first = first;
    this.validators = validators;
  }

  /**
   * Returns the stored results; none if there is no file.
   *
   * @throws CommandException if it is of other seeds, or has another format
   */
  SeedCampaign.Result read() {
    if (!Files.exists(path)) {
      return SeedCampaign.Result.NONE;
    }
    JsonNode stored;
    try {
      stored = JSON.readTree(path.toFile());
    } catch (IOException e) {
      throw new CommandException(
          "the file is not of a run of seeds, or cannot be read, file=" + path,
          "name another file, or one that is not there yet",
          e);
    }
    if (stored == null
        || !stored.has("first")
        || stored.get("first").asLong() != first
        || stored.path("validators").asBoolean() != validators) {
      throw new CommandException(
          "the file is not of a run of these seeds, file="
              + path
              + " seed="
              + first
              + " validators="
              + validators,
          "name another file, or the same --seed and --validators");
    }
    List<SeedReport> violations = new ArrayList<>();
    for (JsonNode seed : stored.path("violatedSeeds")) {
      violations.add(again(seed.asLong()));
    }
    return new SeedCampaign.Result(
        stored.path("seeds").asLong(),
        stored.path("transactions").asLong(),
        stored.path("committed").asLong(),
        stored.path("unknown").asLong(),
        stored.path("violations").asLong(),
        violations);
  }

  /** Reports a failed seed again: it stays failed, even if it passes by now. */
  private static SeedReport again(long seed) {
    SeedReport report = Simulation.run(seed, false);
    Violation violation =
        report
            .violation()
            .orElse(
                new Violation(
                    "Mended",
                    "held when it was run again: what the file counts was found by another build",
                    0));
    return new SeedReport(
        seed,
        report.transactions(),
        report.committed(),
        report.unknown(),
        report.events(),
        Optional.of(violation),
        report.trace());
  }

  /**
   * Replaces the file as a whole.
   *
   * @throws CommandException if it cannot be written
   */
  void write(SeedCampaign.Result sofar) {
    ObjectNode stored = JSON.createObjectNode();
    stored.put("first", first);
    stored.put("validators", validators);
    stored.put("seeds", sofar.seeds());
    stored.put("transactions", sofar.transactions());
    stored.put("committed", sofar.committed());
    stored.put("unknown", sofar.unknown());
    stored.put("violations", sofar.violated());
    ArrayNode seeds = stored.putArray("violatedSeeds");
    sofar.violations().forEach(report -> seeds.add(report.seed()));
    Path next = path.resolveSibling(path.getFileName() + ".next");
    try {
      Files.writeString(next, stored + System.lineSeparator());
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw CommandException.cannotWrite(path, e);
    }
  }
}
