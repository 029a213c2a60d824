/** Reports of a run, for people. */
@NullMarked
package io.lampone.faultlab.report;

import org.jspecify.annotations.NullMarked;
