package io.lampone.lab.mutation;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Results of a campaign.
 *
 * @param rows one for each planted bug that was selected
 * @param failed messages of the patches that could not be judged, by name
 */
record MutationMatrix(List<Row> rows, Map<String, String> failed) {

  /**
   * One planted bug.
   *
   * @param outcomes in the order of the layers; all of one product
   * @param isCurrent true if that is the product of this campaign
   * @param isDone true if each required layer has run
   */
  record Row(PlantedBug bug, List<LayerOutcome> outcomes, boolean isCurrent, boolean isDone) {

    private boolean isFound() {
      return isCurrent && outcomes.stream().anyMatch(LayerOutcome::found);
    }

    private boolean isFoundByLab() {
      return isCurrent
          && outcomes.stream()
              .anyMatch(each -> each.found() && each.layer().equals(MutationLayer.LAB.label()));
    }

    private boolean isEquivalent() {
      return !bug.equivalent().isBlank();
    }

    private boolean isSurvivor() {
      return isDone && !isFound() && !isEquivalent();
    }

    private String markdown(String note) {
      StringBuilder line = new StringBuilder("| ");
      line.append(isSurvivor() ? "**" + bug.name() + "**" : bug.name()).append(note);
      line.append(isEquivalent() ? " (equivalent: " + bug.equivalent() + ")" : "");
      line.append(" | ").append(bug.area()).append(" | ").append(bug.effect());
      line.append(" | ").append(bug.origin()).append(" |");
      for (MutationLayer layer : MutationLayer.values()) {
        line.append(' ');
        outcomes.stream()
            .filter(each -> each.layer().equals(layer.label()))
            .forEach(each -> line.append(each.text().replace('|', '/')));
        line.append(" |");
      }
      outcomes.stream().limit(1).forEach(each -> line.append(' ').append(each.commit()));
      return line.append(" |").toString();
    }
  }

  List<String> survivors() {
    return names(Row::isSurvivor);
  }

  private List<String> notRun() {
    return names(row -> !row.isDone() && !failed.containsKey(row.bug().name()));
  }

  /** Returns those that were found although the index argues that no user can see them. */
  private List<String> foundEquivalents() {
    return names(row -> row.isEquivalent() && row.isFound());
  }

  private List<String> names(Predicate<Row> wanted) {
    return rows.stream().filter(wanted).map(row -> row.bug().name()).toList();
  }

  /** Returns true if every planted bug was found, or is argued to be none. */
  boolean isClean() {
    return failed.isEmpty()
        && names(row -> !row.isDone() || row.isSurvivor()).isEmpty()
        && foundEquivalents().isEmpty();
  }

  /** Returns the line for scripts. */
  String toJson() {
    ObjectNode line = new ObjectMapper().createObjectNode();
    line.put("mutants", rows.size());
    line.put("foundByLab", names(Row::isFoundByLab).size());
    line.put("foundByAny", names(Row::isFound).size());
    survivors().forEach(line.putArray("survivors")::add);
    notRun().forEach(line.putArray("notRun")::add);
    foundEquivalents().forEach(line.putArray("foundEquivalents")::add);
    ObjectNode messages = line.putObject("failed");
    failed.forEach(messages::put);
    return line.toString();
  }

  /** Returns the lines for people, without the table. */
  List<String> summary() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%d planted bugs: %d found, %d of them by the lab; %d survive, %d not run, %d failed"
            .formatted(
                rows.size(),
                names(Row::isFound).size(),
                names(Row::isFoundByLab).size(),
                survivors().size(),
                notRun().size(),
                failed.size()));
    survivors().forEach(name -> lines.add("SURVIVES  " + name));
    foundEquivalents().forEach(name -> lines.add("FOUND, and argued to be equivalent  " + name));
    failed.forEach((name, message) -> lines.add("FAILED  " + name + ": " + message));
    return lines;
  }

  /** Returns the table of the planted bugs with outcomes. */
  List<String> toMarkdown() {
    StringBuilder head = new StringBuilder("| planted bug | area | effect | undoes |");
    StringBuilder rule = new StringBuilder("|---|---|---|---|---|");
    for (MutationLayer layer : MutationLayer.values()) {
      head.append(' ').append(layer.label()).append(" |");
      rule.append("---|");
    }
    List<String> lines = new ArrayList<>(List.of(head + " commit |", rule.toString()));
    for (Row row : rows) {
      boolean isFailed = failed.containsKey(row.bug().name());
      if (isFailed || !row.outcomes().isEmpty()) {
        lines.add(row.markdown(isFailed ? " (failed)" : ""));
      }
    }
    return lines;
  }
}
