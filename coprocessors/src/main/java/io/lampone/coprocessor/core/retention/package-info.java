/**
 * Retention of versions and transaction cells by flushes and compactions (protocol page, section
 * 11).
 */
@NullMarked
package io.lampone.coprocessor.core.retention;

import org.jspecify.annotations.NullMarked;
