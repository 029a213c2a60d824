package io.lampone.benchmarks.operations.figures;

/**
 * Content of a table with a hot row, and the cost of reading that row, at one moment of a run.
 *
 * @param second since the run began
 * @param metadataCells cells in reserved columns
 * @param metadataBytes of those, keys and values
 * @param versionsPerRowMax the most versions of one column
 * @param oldestIntentSeconds age of the oldest undecided intent, 0 if there is none
 * @param fileBytes bytes of the files
 * @param readMicros median of the reads of the hot row in a snapshot, since the sample before
 * @param plainReadMicros median of plain reads of a plain row in between, which show how busy the
 *     machine was
 */
public record HotRowSample(
    int second,
    long metadataCells,
    long metadataBytes,
    int versionsPerRowMax,
    double oldestIntentSeconds,
    long fileBytes,
    double readMicros,
    double plainReadMicros) {}
