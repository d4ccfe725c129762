#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serve/page_server.h"

namespace spoor::cli::page {

/// A file of page/dist, as the build put it into the program.
struct PageFile {
  std::string_view path;  ///< `/app.js`
  std::string_view media_type;
  std::string_view bytes;
};

/// Returns the files of the page. Defined by the build (cmake/page.cmake).
std::span<const PageFile> page_files();

/// Returns the bytes compressed, as gzip (RFC 1952).
std::string gzip(std::string_view bytes);

/// The files of the page, compressed once.
class PageAssets {
 public:
  PageAssets();

  std::span<const serve::PageAsset> all() const { return assets_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<serve::PageAsset> assets_;
};

}  // namespace spoor::cli::page
