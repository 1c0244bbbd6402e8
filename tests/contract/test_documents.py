from corbie.adapters.documents.files import DirectoryDocuments
from tests.contract.documents_contract import DocumentsContract


class TestDirectoryDocuments(DocumentsContract):
    def make(self, folder):
        return DirectoryDocuments(folder)
