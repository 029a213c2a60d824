/**
 * Looks through transactional tables, underneath every snapshot, for what should not be there, and
 * says in plain words what it is and what to do.
 */
@NullMarked
package io.lampone.cli.doctor;

import org.jspecify.annotations.NullMarked;
